"""The ray caster: solids, rays, fields and colours against what is known exactly."""

import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.datasets.pictures.scenes.creatures import CREATURES
from elsewhere.datasets.pictures.scenes.fields import Field, field_of
from elsewhere.datasets.pictures.scenes.hues import developed, light_of_hue
from elsewhere.datasets.pictures.scenes.rays import (
    TOUCH,
    camera_rays,
    march,
    normals,
    shade_of,
    unit,
)
from elsewhere.datasets.pictures.scenes.solids import (
    box,
    column,
    cylinder,
    ellipsoid,
    length,
    limb,
    mirrored,
    moulded,
    ring,
    sphere,
)

RNG = np.random.default_rng(0)
POINTS = RNG.uniform(-2, 2, (3, 2_000)).astype(np.float32)
SOLIDS = {
    "sphere": (sphere(0.9), lambda p: length(p) < 0.9),
    "box": (box((0.5, 0.7, 0.9)), lambda p: (np.abs(p) < column((0.5, 0.7, 0.9))).all(axis=0)),
    "cylinder": (cylinder(0.6, 0.8), lambda p: (length(p[:2]) < 0.6) & (np.abs(p[2]) < 0.8)),
    "limb": (
        limb((0, 0, -0.5), (0, 0, 0.5), 0.4),
        lambda p: length(np.stack([*p[:2], np.maximum(np.abs(p[2]) - 0.5, 0)])) < 0.4,
    ),
    "ellipsoid": (
        ellipsoid((0.1, 0, 0), (0.5, 0.7, 0.9)),
        lambda p: length((p - column((0.1, 0, 0))) / column((0.5, 0.7, 0.9))) < 1,
    ),
    "ring": (
        ring((0, 0, 0), 0.8, 0.3),
        lambda p: (np.hypot(p[0], p[2]) - 0.8) ** 2 + p[1] ** 2 < 0.09,
    ),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_the_sign_says_inside(name):
    solid, inside = SOLIDS[name]
    distances = solid(POINTS)
    clear = np.abs(distances) > 1e-5
    assert ((distances < 0) == inside(POINTS))[clear].all()
    assert 0 < (distances < 0).sum() < len(distances)


@pytest.mark.parametrize("name", sorted(set(SOLIDS) - {"ellipsoid"}))
def test_distances_change_no_faster_than_one_walks(name):
    solid, _ = SOLIDS[name]
    others = POINTS[:, ::-1]
    assert (np.abs(solid(POINTS) - solid(others)) <= length(POINTS - others) + 1e-4).all()


def test_moulding_fills_seams_and_mirrors_reflect():
    left, right = limb((0, -0.4, 0), (0, -0.3, 0), 0.3), limb((0, 0.3, 0), (0, 0.4, 0), 0.3)
    both = moulded([left, right], 0.2)
    assert (both(POINTS) <= np.minimum(left(POINTS), right(POINTS)) + 1e-6).all()
    assert both(column((0, 0, 0)))[0] < left(column((0, 0, 0)))[0] - 0.01
    assert (mirrored(right)(POINTS) == mirrored(right)(POINTS * column((1, -1, 1)))).all()


def test_rays_meet_a_sphere_where_they_should():
    eye = np.tile(column((0, -5, 0)), 64 * 64)
    rays = camera_rays(64, (0, -5, 0), (0, 0, 0), 0.6)
    np.testing.assert_allclose(length(rays), 1, rtol=1e-5)
    meeting = march(sphere(0.9), eye, rays, 1.0)
    middle = -(eye * rays).sum(axis=0)
    inside = 0.81 - 25 + middle**2
    clear = np.abs(inside) > 0.05
    hit = meeting.clearance < TOUCH
    assert (hit == (inside > 0))[clear].all()
    sure = hit & clear
    exact = middle - np.sqrt(np.maximum(inside, 0))
    np.testing.assert_allclose(meeting.along[sure], exact[sure], atol=0.02)
    at = (eye + meeting.along * rays)[:, sure]
    assert ((normals(sphere(0.9), at) * unit(at)).sum(axis=0) > 0.999).all()


def test_the_camera_looks_up_at_the_top_and_left_at_the_left():
    rays = camera_rays(8, (0, -5, 0), (0, 0, 0), 0.6).reshape(3, 8, 8)
    assert (rays[2, 0] > 0).all()
    assert (rays[2, -1] < 0).all()
    assert (rays[0, :, 0] < 0).all()


def test_shadow_lies_behind():
    p = np.concatenate([column((0, 0, -2)), column((0, 0, 2)), column((3, 0, -2))], axis=1)
    up = np.tile(column((0, 0, 1)), 3)
    np.testing.assert_allclose(shade_of(sphere(0.9), p, up, 1.0, 6.0), [0, 1, 1], atol=0.02)


def test_a_field_is_the_shrunken_solid():
    p = RNG.uniform(-1, 1, (3, 500)).astype(np.float32)
    field = Field(sphere(0.7))
    np.testing.assert_allclose(field(p), length(p) - 0.7 * 0.92, atol=0.01)
    away = length(p) > 0.2
    assert ((unit(field.slope(p)) * unit(p)).sum(axis=0)[away] > 0.99).all()


@pytest.mark.parametrize("name", CREATURES)
def test_creatures_fit_the_unit_ball(name):
    field = field_of(CREATURES[name])
    directions = unit(RNG.standard_normal((3, 5_000)).astype(np.float32))
    assert (field(directions) > 0).all()
    assert (field(directions * RNG.uniform(0, 1, 5_000).astype(np.float32)) < 0).any()


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 1))
def test_hues_are_those_of_hsv(hue, saturation, value):
    light = light_of_hue(np.array([hue]), saturation, value)[0]
    expected = np.array(colorsys.hsv_to_rgb(hue, saturation, value))
    np.testing.assert_allclose(light ** (1 / 2.2), expected, atol=2e-3)


def test_developing_undoes_the_gamma_and_cuts():
    light = (np.arange(256) / 255) ** 2.2
    assert np.abs(developed(light).astype(int) - np.arange(256))[40:].max() <= 1
    assert developed(np.array([-1.0, 0.0, 1.0, 9.0])).tolist() == [0, 0, 255, 255]
