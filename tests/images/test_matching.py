"""A match by distances finds which points are the same, however the plane was turned."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elsewhere.images import matching
from elsewhere.images.appearance import Appearance
from elsewhere.images.autoencoder import ImageCodes
from elsewhere.images.matching import Match, gromov_wasserstein, match_domains

pytestmark = pytest.mark.usefixtures("compile_fast")
KEY = jax.random.key(0)


def as_is(m):
    """Appearance that are the codes themselves."""
    linear = eqx.nn.MLP(m, m, 4, 0, key=KEY)
    last = lambda n: (n.layers[0].weight, n.layers[0].bias)  # noqa: E731
    parts = eqx.tree_at(last, linear, (jnp.eye(m), jnp.zeros(m))), jnp.zeros(m), jnp.ones(m)
    empty = Appearance(KEY, np.zeros((2, m)), m)
    return eqx.tree_at(lambda x: (x.network, x.centre, x.deviation), empty, parts)


def clouds(n, seed=0):
    """Three clouds of points, unlike in size and place, and which cloud each point is of."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 3, n)
    centres, sizes = np.array([[0.0, 0], [3, 0], [0, 1.2]]), np.array([0.3, 0.15, 0.2])
    return centres[which] + sizes[which, None] * rng.standard_normal((n, 2)), which


@settings(max_examples=6)
@given(
    seed=st.integers(0, 9), scale=st.sampled_from([1e-2, 1.0, 1e3]), sign=st.sampled_from([-1, 1])
)
def test_turned_points_are_matched_with_themselves(seed, scale, sign):
    points, _ = clouds(40, seed)
    turn = np.array([[0.0, -sign], [1.0, 0.0]])
    order = np.random.default_rng(seed).permutation(40)
    other = (scale * points @ turn + 7)[order]
    joint = np.asarray(gromov_wasserstein(KEY, jnp.asarray(scale * points), jnp.asarray(other)))
    assert np.allclose(joint.sum(axis=0), 1 / 40, atol=1e-6)
    assert np.allclose(joint.sum(axis=1), 1 / 40, atol=2e-3)
    found = joint.argmax(axis=1)
    assert np.linalg.norm(other[found] - other[np.argsort(order)], axis=1).mean() < 0.3 * scale


def test_new_points_of_turned_clouds_go_to_their_cloud(monkeypatch):
    """Two samples that have no point in common, one of them turned by 90° and moved."""
    monkeypatch.setattr(matching, "ROWS", 100)
    first, which = clouds(400)
    second, other = clouds(400, seed=1)
    turned = second @ np.array([[0.0, 1.0], [-1.0, 0.0]]) + 5
    z, d = np.concatenate([first, turned]).astype(np.float32), np.repeat([0, 1], 400)
    match = match_domains(KEY, as_is(2), ImageCodes(z, np.zeros_like(z)), d, ((0, 1),))
    assert match.ways == ((0, 1), (1, 0))
    for source, own, theirs, there in ((0, which, other, turned), (1, other, which, first)):
        here = jnp.asarray(z[d == source])
        found = np.asarray(match(here, *(jnp.full(400, e) for e in (source, 1 - source))))
        nearest = np.linalg.norm(found[:, None] - there, axis=2).argmin(axis=1)
        assert (theirs[nearest] == own).mean() > 0.95


def test_every_way_has_its_own_match():
    anchors = jnp.stack([jnp.eye(6), -2 * jnp.eye(6)])
    match = Match(((0, 1), (1, 2)), anchors, anchors + jnp.array([1.0, 2.0])[:, None, None])
    looks = jnp.concatenate([anchors[0, :2], anchors[1, :2]])
    d = jnp.array([0, 0, 1, 1])
    moved = match(looks, d, d + 1)
    assert np.allclose(moved - looks, np.array([1, 1, 2, 2])[:, None], atol=1e-2)
    assert match.miss(looks, moved, d, d + 1) == 0
    spread = float(jnp.square(anchors - anchors.mean(axis=1, keepdims=True)).sum(axis=2).mean())
    assert match.miss(looks, moved + 1, d, d + 1) == pytest.approx(6 / spread, rel=1e-6)


@pytest.mark.parametrize("sizes", [(1, 1), (2, 5), (30, 7)])
def test_few_images_and_unequal_domains_are_no_trouble(sizes, monkeypatch):
    monkeypatch.setattr(matching, "STARTS", 2)
    rng, d = np.random.default_rng(0), np.repeat([0, 1], sizes)
    z = rng.standard_normal((sum(sizes), 2)).astype(np.float32)
    match = match_domains(KEY, as_is(2), ImageCodes(z, np.zeros_like(z)), d, ((0, 1),))
    found = match(jnp.asarray(z), jnp.asarray(d), jnp.asarray(1 - d))
    assert np.isfinite(np.asarray(found)).all()
    assert match.anchors.shape == (2, 3 * min(sizes), 2)


def test_points_that_are_all_alike_are_no_trouble():
    joint = gromov_wasserstein(KEY, jnp.ones((5, 2)), jnp.ones((5, 2)))
    assert np.isfinite(np.asarray(joint)).all()
