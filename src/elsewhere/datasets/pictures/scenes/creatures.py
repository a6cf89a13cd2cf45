"""Seven solids, moulded from simple ones: x is ahead, z is up, within 1.08 of the origin."""

from elsewhere.datasets.pictures.scenes.solids import (
    Solid,
    chain,
    ellipsoid,
    limb,
    mirrored,
    moulded,
    ring,
)


def teapot() -> Solid:
    """A round body, a spout ahead, a handle behind, a knob on the lid."""
    body = ellipsoid((0, 0, -0.05), (0.58, 0.58, 0.48))
    lid = ellipsoid((0, 0, 0.38), (0.3, 0.3, 0.12))
    knob = ellipsoid((0, 0, 0.55), (0.1, 0.1, 0.1))
    curve = [(0.45, 0, -0.12), (0.72, 0, 0.05), (0.9, 0, 0.36)]
    spout = chain(curve, [0.17, 0.1, 0.07], 0.1)
    return moulded([body, lid, knob, spout, ring((-0.6, 0, 0.02), 0.27, 0.07)], 0.06)


def armadillo() -> Solid:
    """Upright, arms out, with a snout, ears, a shell and a tail."""
    belly = ellipsoid((0, 0, -0.05), (0.3, 0.34, 0.42))
    shell = ellipsoid((-0.14, 0, 0.0), (0.3, 0.4, 0.46))
    face = ellipsoid((0.08, 0, 0.52), (0.2, 0.19, 0.19))
    snout = limb((0.15, 0, 0.5), (0.44, 0, 0.42), 0.13, 0.06)
    ear = mirrored(limb((0.02, 0.13, 0.65), (-0.08, 0.26, 0.88), 0.08, 0.05))
    reach = [(0.05, 0.3, 0.2), (0.2, 0.66, 0.12), (0.42, 0.7, 0.4)]
    stand = [(0, 0.22, -0.35), (0.1, 0.34, -0.78), (0.32, 0.4, -0.8)]
    arm = mirrored(chain(reach, [0.12, 0.09, 0.1], 0.05))
    leg = mirrored(chain(stand, [0.16, 0.1, 0.08], 0.05))
    tail = limb((-0.3, 0, -0.35), (-0.75, 0, -0.6), 0.14, 0.04)
    return moulded([belly, shell, face, snout, ear, arm, leg, tail], 0.08)


def hare() -> Solid:
    """Long ears over a crouching body."""
    body = ellipsoid((-0.18, 0, -0.3), (0.52, 0.38, 0.4))
    face = ellipsoid((0.38, 0, 0.12), (0.3, 0.23, 0.24))
    ear = mirrored(limb((0.28, 0.1, 0.28), (0.02, 0.24, 0.88), 0.1, 0.06))
    paw = mirrored(limb((0.25, 0.16, -0.3), (0.42, 0.17, -0.68), 0.12, 0.08))
    foot = mirrored(limb((-0.3, 0.3, -0.62), (0.1, 0.32, -0.68), 0.13, 0.08))
    tail = ellipsoid((-0.72, 0, -0.2), (0.14, 0.14, 0.14))
    return moulded([body, face, ear, paw, foot, tail], 0.12)


def cow() -> Solid:
    """A heavy body on short legs; horns."""
    body = ellipsoid((-0.1, 0, 0.08), (0.62, 0.34, 0.34))
    face = ellipsoid((0.58, 0, 0.3), (0.2, 0.17, 0.18))
    muzzle = limb((0.6, 0, 0.27), (0.8, 0, 0.12), 0.14, 0.11)
    horn = mirrored(limb((0.52, 0.12, 0.44), (0.56, 0.34, 0.62), 0.06, 0.03))
    legs = [mirrored(limb((x, 0.2, 0), (x, 0.22, -0.6), 0.13, 0.1)) for x in (0.28, -0.48)]
    tail = limb((-0.68, 0, 0.2), (-0.84, 0, -0.25), 0.045)
    return moulded([body, face, muzzle, *legs, horn, tail], 0.1)


def dragon() -> Solid:
    """A winding tail, a raised neck and two wings."""
    tail = [(-0.92, -0.3, -0.42), (-0.6, 0.12, -0.45), (-0.25, 0, -0.28)]
    neck = [(0.2, 0, -0.18), (0.45, 0, 0.22), (0.55, 0, 0.52)]
    spine = chain(tail + neck, [0.03, 0.1, 0.2, 0.24, 0.14, 0.12], 0.1)
    snout = limb((0.55, 0, 0.55), (0.82, 0, 0.5), 0.14, 0.08)
    tips = [(-0.05, 0.52, 0.68), (-0.4, 0.62, 0.5), (-0.62, 0.6, 0.2)]
    wing = mirrored(moulded([limb((0.1, 0.12, -0.05), tip, 0.06, 0.04) for tip in tips], 0.3))
    feet = [((x, 0.16, -0.25), (x + 0.08, 0.26, -0.66)) for x in (0.2, -0.25)]
    legs = [mirrored(limb(hip, foot, 0.11, 0.07)) for hip, foot in feet]
    return moulded([spine, snout, wing, *legs], 0.1)


def head() -> Solid:
    """A face with nose, brow, lips and ears, on a neck."""
    skull = ellipsoid((-0.04, 0, 0.25), (0.5, 0.42, 0.5))
    jaw = ellipsoid((0.14, 0, -0.12), (0.34, 0.3, 0.32))
    nose = limb((0.44, 0, 0.24), (0.58, 0, 0.04), 0.07, 0.1)
    brow = mirrored(limb((0.42, 0.08, 0.33), (0.34, 0.26, 0.32), 0.08))
    ear = mirrored(ellipsoid((-0.04, 0.43, 0.14), (0.13, 0.06, 0.2)))
    lips = mirrored(limb((0.46, 0, -0.14), (0.42, 0.12, -0.14), 0.06))
    neck = limb((-0.12, 0, -0.1), (-0.16, 0, -0.65), 0.26, 0.28)
    return moulded([skull, jaw, nose, brow, ear, lips, neck], 0.08)


def horse() -> Solid:
    """A slim body on long legs, a raised neck, a long tail."""
    body = limb((-0.42, 0, 0.05), (0.28, 0, 0.08), 0.23, 0.21)
    neck = limb((0.32, 0, 0.15), (0.55, 0, 0.62), 0.17, 0.11)
    face = limb((0.55, 0, 0.68), (0.82, 0, 0.46), 0.12, 0.08)
    ear = mirrored(limb((0.5, 0.06, 0.75), (0.48, 0.08, 0.86), 0.05, 0.02))
    hooves = [((0.3, 0.13, 0), (0.36, 0.14, -0.78)), ((-0.48, 0.13, 0), (-0.54, 0.14, -0.74))]
    legs = [mirrored(limb(hip, hoof, 0.1, 0.055)) for hip, hoof in hooves]
    tail = limb((-0.6, 0, 0.18), (-0.82, 0, -0.35), 0.06, 0.09)
    return moulded([body, neck, face, ear, *legs, tail], 0.09)


CREATURES = {
    "teapot": teapot,
    "armadillo": armadillo,
    "hare": hare,
    "cow": cow,
    "dragon": dragon,
    "head": head,
    "horse": horse,
}
