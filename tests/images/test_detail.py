"""Detail is carried where it stays in its place, and only there."""

import numpy as np
import pytest

from elsewhere.images.detail import FEW, detail_shares
from elsewhere.images.sharpness import sharpness

pytestmark = pytest.mark.fast
SIDE = 12
AT = np.arange(SIDE, dtype=np.float32)


def spots(z, width):
    """A bright spot at (row, column) z."""
    down, across = (np.exp(-np.square(AT - z[:, i, None]) / width) for i in (0, 1))
    return (0.8 * down[:, :, None] * across[:, None, :]).astype(np.float32)[..., None]


class Blurry:
    """Reads where the spot is, and draws it wider than it was."""

    def read(self, images):
        mass = images[..., 0] / images.sum(axis=(1, 2, 3))[:, None, None]
        return np.stack([(mass.sum(axis=2) @ AT), (mass.sum(axis=1) @ AT)], axis=1)

    def decode(self, z):
        return spots(z, 6.0)


class Turned:
    domains = (0, 1)

    def move(self, x, *, d, d_prime):
        row, column = x.T
        ends = (column, SIDE - 1 - row) if d < d_prime else (SIDE - 1 - column, row)
        return np.stack(ends, axis=1)


class Same:
    domains = (0, 1)

    def move(self, x, *, d, d_prime):
        return x


def shares(codes, change, n=200):
    rng = np.random.default_rng(0)
    z = rng.uniform(2, SIDE - 3, (2 * n, 2)).astype(np.float32)
    z[:, 0] = z[:, 0] / 3 + 1  # in the upper part
    images = np.concatenate([spots(z[:n], 1.0), change(z[n:])])
    return detail_shares(Blurry(), codes, images, np.repeat([0, 1], n), rng)


def test_an_edge_stays_where_only_contrast_differs():
    found = shares(Same(), lambda z: 0.9 * spots(z, 1.0))
    assert np.diag(found).tolist() == [1, 1]
    assert found[0, 1] == pytest.approx(0.9, abs=0.15)
    assert found[1, 0] == pytest.approx(1.0, abs=0.15)


def test_nothing_is_carried_where_images_are_turned():
    turned = lambda z: spots(Turned().move(z, d=0, d_prime=1), 1.0)  # noqa: E731
    assert shares(Turned(), turned) is None


def test_few_images_tell_nothing():
    assert shares(Same(), lambda z: spots(z, 1.0), n=FEW - 1) is None


class Corner:
    """Reads the first two pixels, and draws these alone."""

    def read(self, images):
        return images[:, 0, :2, 0]

    def decode(self, z):
        images = np.zeros((len(z), 4, 4, 1), np.float32)
        images[:, 0, :2, 0] = z
        return images


def test_nothing_is_carried_where_codes_do_not_tell_what_is_missing():
    rng = np.random.default_rng(0)
    noise = rng.uniform(-0.5, 0.5, (2 * FEW, 4, 4, 1)).astype(np.float32)
    assert detail_shares(Corner(), Same(), noise, np.repeat([0, 1], FEW), rng) is None


def test_sharpness_is_squared_slopes():
    step = np.zeros((2, 4, 4, 1), np.float32)
    step[:, 2:] = 0.5
    assert sharpness(step) == pytest.approx(4 * 0.25)
