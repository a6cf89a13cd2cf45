"""Lipschitz constants of mixings."""

import itertools

import numpy as np
from flowjax.bijections import AbstractBijection, Chain
from jaxtyping import Array, Float

from elsewhere.bijections import LeakyReLU, as_affine, compose, jacobians

_MAX_ENUMERATED = 12


def lipschitz_constant(g: AbstractBijection, z: Float[Array, "n m"]) -> tuple[float, bool]:
    """(L_g, exact): sup ‖J_g‖₂. Exact for affine maps and for A·LeakyReLU(B z + a) + b with m ≤ 12.

    Otherwise the largest spectral norm of the Jacobian at the points `z`, which is at most L_g.
    """
    affine = as_affine(g)
    if affine is not None:
        return float(np.linalg.norm(affine[0], 2)), True
    pieces = _around_one_leaky(g)
    if pieces is not None and g.shape[0] <= _MAX_ENUMERATED:
        return _largest_piece(*pieces), True
    return float(np.linalg.norm(np.asarray(jacobians(g, z)), 2, (1, 2)).max()), False


def _around_one_leaky(g: AbstractBijection) -> tuple[np.ndarray, np.ndarray, float] | None:
    """(A, B, slope) where g = A·LeakyReLU(B z + a) + b, else None."""
    layers = g.bijections if isinstance(g, Chain) else (g,)
    kinks = [i for i, layer in enumerate(layers) if isinstance(layer, LeakyReLU)]
    if len(kinks) != 1:
        return None
    before, after = layers[: kinks[0]], layers[kinks[0] + 1 :]
    ends = [_matrix(part, g.shape[0]) for part in (after, before)]
    if ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1], layers[kinks[0]].slope  # type: ignore[union-attr]


def _matrix(layers: tuple, m: int) -> np.ndarray | None:
    if not layers:
        return np.eye(m)
    parts = as_affine(compose(*reversed(layers)))
    return None if parts is None else parts[0]


def _largest_piece(A: np.ndarray, B: np.ndarray, slope: float) -> float:
    """max over sign patterns D of ‖A D B‖₂; every pattern is reached, for B is invertible."""
    patterns = np.array(list(itertools.product([1.0, slope], repeat=A.shape[0])))
    slopes = A @ (patterns[:, :, None] * B)
    return float(np.linalg.norm(slopes, 2, (1, 2)).max())
