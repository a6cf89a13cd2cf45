"""The drawn data sets: their factors, their causal graphs, and counterfactuals that are true."""

import jax
import numpy as np
import pytest

from elsewhere.datasets.pictures import rendered_ident, rendered_shapes
from elsewhere.datasets.pictures.causal3dident import stage_of
from elsewhere.datasets.pictures.ident_mechanisms import (
    HALF,
    HUE_RANGES,
    draw_noise,
    latents_of,
    within,
)
from elsewhere.datasets.pictures.scenes.stage import draw_stage
from elsewhere.datasets.pictures.shapes3d import FACTORS, draw_shapes

KEY = jax.random.key(0)
SIZE = 16


@pytest.fixture(scope="module")
def shapes():
    return rendered_shapes(KEY, 40, size=SIZE)


@pytest.fixture(scope="module")
def ident():
    return rendered_ident(KEY, 40, size=SIZE)


@pytest.mark.parametrize(("name", "num_domains"), [("shapes", 4), ("ident", 2)])
def test_sizes_and_splits(name, num_domains, request):
    data = request.getfixturevalue(name)
    assert [len(part) for part in (data.train, data.valid, data.test)] == [
        share * num_domains for share in (32, 4, 4)
    ]
    assert data.train.images.shape[1:] == (SIZE, SIZE, 3)
    assert data.train.images.dtype == np.uint8
    assert data.train.images.std() > 30


@pytest.mark.parametrize("name", ["shapes", "ident"])
def test_the_truth_in_its_own_domain_is_the_image(name, request):
    data = request.getfixturevalue(name).valid
    for d in range(data.num_domains):
        rows = data.rows_of(d)
        assert (data.counterfactual(rows, d) == data.images[rows]).all()
        elsewhere = data.counterfactual(rows, (d + 1) % data.num_domains)
        assert (elsewhere != data.images[rows]).any(axis=(1, 2, 3)).all()


@pytest.mark.parametrize("make", [rendered_shapes, rendered_ident])
def test_the_key_decides(make):
    first, again, other = (make(jax.random.key(k), 10, size=8).train for k in (0, 0, 1))
    assert (first.images == again.images).all()
    assert (first.images != other.images).any()


@pytest.mark.parametrize(
    ("make", "per_domain", "size"),
    [(rendered_shapes, 15_001, 16), (rendered_shapes, 9, 16), (rendered_ident, 10, 7)],
)
def test_what_cannot_be_drawn(make, per_domain, size):
    with pytest.raises(ValueError, match=f"per_domain.*got {per_domain} and {size}"):
        make(KEY, per_domain, size=size)


def test_no_scene_twice_in_a_domain(shapes):
    parts = (shapes.train, shapes.valid, shapes.test)
    rows = [np.stack([part.domains, *(part.factors[f] for f in FACTORS)], 1) for part in parts]
    assert len(np.unique(np.concatenate(rows), axis=0)) == 160


def test_only_the_named_factor_shows():
    """Each hue changes pixels of its own: the sum over pixels is of three disjoint parts."""
    base = np.zeros((4, 1), int)
    changed = []
    for factor in range(3):
        other = base.copy()
        other[factor] = 5
        pair = [draw_shapes(np.array([0]), f, 32).astype(int) for f in (base, other)]
        changed.append((np.abs(pair[0] - pair[1]).max(axis=-1) > 60)[0])
    assert all(part.mean() > 0.05 for part in changed)
    assert np.mean(sum(part.astype(int) for part in changed) > 1) < 0.05


def test_shapes_differ_and_so_do_orientations():
    factors = np.tile(np.array([[1], [4], [7], [0]]), 4)
    images = draw_shapes(np.arange(4), factors, 32).astype(int)
    gaps = [np.abs(images[i] - images[j]).mean() for i in range(4) for j in range(i)]
    assert min(gaps) > 1
    turned = draw_shapes(np.arange(4), factors + np.array([[0], [0], [0], [7]]), 32)
    assert np.abs(images - turned).mean() > 3


def test_edges_are_smooth():
    """A white wall behind a dark solid would have two greys only, were rays one a pixel."""
    image = draw_shapes(np.array([2]), np.array([[0], [0], [5], [7]]), 64)[0].astype(int)
    steps = np.abs(np.diff(image[:, :, 0], axis=1))
    assert ((steps > 15) & (steps < 90)).sum() > 30


def noise_of(n=2_000):
    return draw_noise(np.random.default_rng(0), n)


def test_the_domain_moves_the_background_hue_and_through_it_the_object_hue_only():
    noise = noise_of()
    low, high = (latents_of(noise, np.full(2_000, d)) for d in (0, 1))
    for name in ("position", "rotation", "spotlight", "spotlight_hue"):
        assert (getattr(low, name) == getattr(high, name)).all()
    for latents, (least, most) in zip((low, high), HUE_RANGES, strict=True):
        assert ((latents.background_hue >= least) & (latents.background_hue <= most)).all()
    followers = noise.classes != 5  # the class whose hue does not listen to the background
    assert (low.object_hue != high.object_hue)[followers].mean() > 0.99
    assert (low.object_hue == high.object_hue)[~followers].all()
    rank = np.argsort(low.background_hue)
    assert (np.diff(high.background_hue[rank]) >= 0).all()


def test_arrows_from_class_and_spotlight():
    noise = noise_of(20_000)
    latents = latents_of(noise, np.zeros(20_000, int))
    for kind in range(7):
        rows = noise.classes == kind
        follow = np.corrcoef(latents.spotlight[rows], latents.position[0, rows])[0, 1]
        assert abs(follow) > 0.3
        assert abs(np.corrcoef(latents.spotlight[rows], latents.position[1, rows])[0, 1]) < 0.1
    means = [latents.rotation[0, noise.classes == kind].mean() for kind in range(7)]
    assert np.ptp(means) > 0.5
    assert np.abs(latents.object_hue).max() <= HALF


def test_the_cut_normal_is_monotone_and_inside():
    u = np.linspace(0, 1, 101)
    for mean in (-3.0, 0.0, 0.9):
        values = within(np.full(101, mean), u)
        assert (np.diff(values) >= 0).all()
        assert np.abs(values).max() <= 1


def test_each_latent_is_seen():
    noise = noise_of(1)
    latents = latents_of(noise, np.zeros(1, int))
    image = draw_stage(stage_of(noise.classes, latents), 32).astype(int)
    for name in latents._fields:
        moved = latents._replace(**{name: -getattr(latents, name) * 0.9 + 0.05})
        other = draw_stage(stage_of(noise.classes, moved), 32)
        assert np.abs(image - other).mean() > 0.5, name


def test_seven_creatures_in_one_place_differ():
    noise = noise_of(7)
    noise = noise._replace(classes=np.arange(7), u=np.repeat(noise.u[:, :1], 7, axis=1))
    latents = latents_of(noise._replace(classes=np.zeros(7, int)), np.zeros(7, int))
    images = draw_stage(stage_of(noise.classes, latents), 32).astype(int)
    gaps = [np.abs(images[i] - images[j]).mean() for i in range(7) for j in range(i)]
    assert min(gaps) > 1
