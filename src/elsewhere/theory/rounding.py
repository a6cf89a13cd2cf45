"""How much of a gap can be rounding: by dtype and by conditioning, never by units."""

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PyTree

SLACK = 64.0


def coarsest_eps(*trees: PyTree) -> float:
    """The largest rounding unit among the floating leaves; that of JAX's default without any."""
    leaves = [leaf for leaf in jax.tree.leaves(trees) if eqx.is_inexact_array(leaf)]
    dtypes = [leaf.dtype for leaf in leaves] or [jnp.zeros(()).dtype]
    return max(float(jnp.finfo(dtype).eps) for dtype in dtypes)


def jittered(tree: PyTree, seed: int) -> PyTree:
    """Every floating leaf off by one unit of its rounding, up or down: θ (1 ± eps)."""
    rng = np.random.default_rng(seed)

    def jitter(leaf: Any) -> Any:
        if not eqx.is_inexact_array(leaf):
            return leaf
        sign = rng.choice([-1.0, 1.0], leaf.shape)
        factor = 1 + float(jnp.finfo(leaf.dtype).eps) * sign
        return (np.asarray(leaf, np.float64) * factor).astype(leaf.dtype)

    return jax.tree.map(jitter, tree)


def stacked(trees: Sequence[PyTree]) -> PyTree:
    """One tree whose floating leaves have a leading axis, one entry per tree of one structure."""

    def stack(first: Any, *rest: Any) -> Any:
        if not eqx.is_inexact_array(first):
            return first
        return jnp.stack([first, *rest])

    return jax.tree.map(stack, *trees)


def conditioning(
    G: Float[np.ndarray, "m m"],
    g: Float[np.ndarray, " m"],
    F: Float[np.ndarray, "m m"],
    c: Float[np.ndarray, " m"],
) -> float:
    """κ = ‖F̂⁻¹‖ ‖Ĝ⁻¹‖ (‖Ĝ‖ (‖F̂‖ + ‖ĉ‖) + ‖ĝ‖) of x = G (F ε + c) + g.

    Hats divide every latent and every column by its own deviation, so units do not matter.
    Parameters off by a share eps of their size move the noise read off x by up to eps · κ.
    """
    z_scale, x_scale = row_sizes(F), row_sizes(G @ F)
    F, c = F / z_scale[:, None], c / z_scale
    G, g = G * z_scale / x_scale[:, None], g / x_scale
    norm = np.linalg.norm
    back = 1 / (norm(F, -2) * norm(G, -2))
    return float(back * (norm(G, 2) * (norm(F, 2) + norm(c)) + norm(g)))


def cancellation(
    parts: tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]],
    folded: Float[np.ndarray, "m m_plus_1"],
    inputs: Float[np.ndarray, "m m"],
) -> float:
    """‖M̂‖ / ‖[Â, b̂]‖, at least 1: how far A x + b is smaller than the M it was folded from.

    Rounding moves [A, b] by up to eps · M, far more than its own size where factors cancel, as in
    B B⁻¹ with an ill-conditioned B. Hats divide by the deviations of x = `inputs` ε and of A x.
    """
    A, b = parts
    out, into = row_sizes(A @ inputs)[:, None], np.append(row_sizes(inputs), 1.0)
    own = np.column_stack([A, b])
    return max(1.0, float(np.linalg.norm(folded * into / out) / np.linalg.norm(own * into / out)))


def check_tolerance(tolerance: float | None) -> None:
    """Refuse a tolerance that not even a gap of 0 would meet."""
    if tolerance is not None and not tolerance >= 0:
        raise ValueError(
            f"tolerance must be at least 0, or None for what rounding allows; got {tolerance}."
        )


def row_sizes(A: Float[np.ndarray, "... m n"]) -> Float[np.ndarray, "... m"]:
    """The Euclidean length of every row: the deviation of [A ε]_i."""
    return np.sqrt((A**2).sum(-1))


def balanced_inverse(A: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """A⁻¹, computed with rows and columns near unit size, so that units cost no digits."""
    rows, columns = np.ones(len(A)), np.ones(len(A))
    for _ in range(3):
        size = np.abs(A) / rows[:, None] / columns
        rows, columns = rows * _power_of_two(size.max(1)), columns * _power_of_two(size.max(0))
    return _inverse(A / rows[:, None] / columns) / columns[:, None] / rows


def _inverse(A: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """A⁻¹, or the nearest thing to it for products that rounding has made singular.

    The conditioning of such a model leaves every verdict on it open.
    """
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(A)


def _power_of_two(size: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """The square root of the size as a power of 2, by which a division is exact."""
    return 2.0 ** np.round(0.5 * np.log2(np.where(size > 0, size, 1.0)))
