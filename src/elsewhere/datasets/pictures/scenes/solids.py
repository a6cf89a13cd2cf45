"""Signed distances to solids: points [3, n] to how far each is outside (negative: inside).

Coordinates lead, so that NumPy works on long rows.
"""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Shaped

Triple = Sequence[float | int] | Shaped[np.ndarray, "3 *_"]
Points = Float[np.ndarray, "3 n"]
One = Float[np.ndarray, "3 1"]
Distances = Float[np.ndarray, " n"]
Solid = Callable[[Points], Distances]


def column(values: Triple) -> One:
    """Three numbers as a float32 column, to add to points."""
    return np.asarray(values, np.float32).reshape(3, 1)


def length(p: Float[np.ndarray, "k n"]) -> Distances:
    """|p| of every column."""
    return np.sqrt(np.einsum("kn,kn->n", p, p))


def sphere(radius: float) -> Solid:
    """|p| − r."""
    return lambda p: length(p) - radius


def box(half: Triple, rounding: float = 0.0) -> Solid:
    """A box about the origin with these half-widths, its edges rounded."""
    inner = column(half) - rounding

    def distance(p: Points) -> Distances:
        q = np.abs(p) - inner
        return length(np.maximum(q, 0)) + np.minimum(q.max(axis=0), 0) - rounding

    return distance


def cylinder(radius: float, half_height: float, rounding: float = 0.0) -> Solid:
    """An upright cylinder about the origin."""

    def distance(p: Points) -> Distances:
        q = np.stack([length(p[:2]) - (radius - rounding), np.abs(p[2]) - (half_height - rounding)])
        return length(np.maximum(q, 0)) + np.minimum(q.max(axis=0), 0) - rounding

    return distance


def limb(start: Triple, end: Triple, radius: float, radius_end: float | None = None) -> Solid:
    """A round stick from `start` to `end`; its radius changes evenly along it."""
    a, axis = column(start), column(end) - column(start)
    growth = 0.0 if radius_end is None else radius_end - radius
    squared = float((axis**2).sum())

    def distance(p: Points) -> Distances:
        q = p - a
        along = np.clip((axis * q).sum(axis=0) / squared, 0, 1)
        return length(q - axis * along) - (radius + growth * along)

    return distance


def ellipsoid(centre: Triple, radii: Triple) -> Solid:
    """|q/r| (|q/r| − 1) / |q/r²|: near the surface, the distance to it."""
    c, r = column(centre), column(radii)

    def distance(p: Points) -> Distances:
        q = (p - c) / r
        k = length(q)
        return k * (k - 1) / np.maximum(length(q / r), 1e-6)

    return distance


def ring(centre: Triple, radius: float, thickness: float) -> Solid:
    """A torus in the plane of the first and last coordinate."""
    c = column(centre)

    def distance(p: Points) -> Distances:
        x, y, z = p - c
        return np.hypot(np.hypot(x, z) - radius, y) - thickness

    return distance


def moulded(parts: Sequence[Solid], softness: float) -> Solid:
    """The union of the parts, with seams filled over a width of about `softness`."""

    def distance(p: Points) -> Distances:
        total = parts[0](p)
        for part in parts[1:]:
            other = part(p)
            h = np.maximum(softness - np.abs(total - other), 0) / softness
            total = np.minimum(total, other) - h * h * (softness / 4)
        return total

    return distance


def mirrored(part: Solid) -> Solid:
    """The part and its mirror image in the second coordinate."""

    def distance(p: Points) -> Distances:
        return part(np.stack([p[0], np.abs(p[1]), p[2]]))

    return distance


def chain(points: Sequence[Triple], radii: Sequence[float], softness: float) -> Solid:
    """Limbs from point to point, moulded where they join."""
    pairs = zip(points, points[1:], radii, radii[1:], strict=False)
    return moulded([limb(*pair) for pair in pairs], softness)
