"""Noise that is the same in all domains is told from noise that is not, whatever its shape."""

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM
from elsewhere.bijections import Affine
from elsewhere.fitting.profile.noise_alike import diagonals, noise_differs


def drawn(seed, n=2000):
    """Noise of heavy tails that is not independent."""
    rng = np.random.default_rng(seed)
    eps = rng.standard_t(4, size=(n, 3))
    return np.c_[eps[:, :2], np.abs(eps[:, 0]) + eps[:, 2]]


def found(change):
    """Of a model whose noise is the row itself."""
    model = ILD(Affine(jnp.eye(3), jnp.zeros(3)), [LinearSCM.identity(3)] * 3, list("abc"))
    return noise_differs(model, {"a": drawn(0), "b": change(drawn(1)), "c": drawn(2)})


def test_noise_of_any_shape_is_alike_where_it_is_the_same():
    assert abs(found(lambda eps: eps)) < 0.5


@pytest.mark.parametrize(
    "change",
    [
        lambda eps: eps + [0.3, 0, 0],
        lambda eps: eps * [1, 1.3, 1],
        lambda eps: np.c_[eps[:, 0], eps[:, 1], -eps[:, 2]],
        lambda eps: np.c_[eps[:, :2], eps[:, 2] - np.abs(eps[:, 0]) + np.abs(eps[:, 1])],
    ],
    ids=["place", "scale", "sign", "dependence"],
)
def test_what_differs_in_one_domain_is_seen(change):
    assert found(change) > 2


def test_directions_are_axes_and_diagonals_of_two():
    along = diagonals(4)
    assert along.shape == (4, 4 + 2 * 6)
    np.testing.assert_allclose((along**2).sum(axis=0), 1)
    assert np.count_nonzero(along) == 4 + 2 * 2 * 6
