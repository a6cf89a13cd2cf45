"""Optimisers of networks for images: from gradients to steps of unit rate."""

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, PyTree

ADAM = optax.scale_by_adam()
PAPER_ADAM = optax.scale_by_adam(b1=0.5)
_QUINTIC = 3.4445, -4.7750, 2.0315  # a + b s² + c s⁴ lifts small singular values s most
_ROUNDS = 5
_SIZE = 0.2  # of the entries of a step, as Adam's have
_TINY = 1e-8


def orthogonal(x: Float[Array, "a b"]) -> Float[Array, "a b"]:
    """About U Vᵀ of x = U S Vᵀ: singular values between 0.7 and 1.2, by Newton–Schulz.

    A round is x ← P x with P = a + b A + c A², A = x xᵀ. All these commute, so that A ← P² A gives
    the next round's, and x itself is needed at the end only: rounds cost the shorter side cubed.
    """
    wide = x.shape[0] <= x.shape[1]
    short = x if wide else x.T
    short = short / (jnp.linalg.norm(short) + _TINY)
    (a, b, c), one = _QUINTIC, jnp.eye(len(short), dtype=x.dtype)
    square, whole = short @ short.T, one
    for _ in range(_ROUNDS):
        step = a * one + b * square + c * square @ square
        square, whole = step @ (step @ square), whole @ step
    moved = whole @ short
    return moved if wide else moved.T


def _matrix_steps(updates: PyTree, parameters: PyTree | None = None) -> PyTree:
    """0.2 √max(a, b) U Vᵀ of every a × b matrix; a convolution's is its inputs × its outputs."""

    def step(array: Array) -> Array:
        matrix = array.reshape(-1, array.shape[-1])
        size = _SIZE * max(matrix.shape) ** 0.5
        return size * orthogonal(matrix).reshape(array.shape)

    return jax.tree.map(step, updates)


def _kinds(parameters: PyTree) -> PyTree:
    return jax.tree.map(lambda array: "matrix" if array.ndim in (2, 4) else "other", parameters)


# Muon: every matrix moves by an orthogonal one, that of its mean gradient; all else by Adam.
# `benchmarks/optimisers.py` compares both.
MUON = optax.partition(
    {
        "matrix": optax.chain(optax.trace(0.95, nesterov=True), optax.stateless(_matrix_steps)),
        "other": optax.scale_by_adam(nesterov=True),
    },
    _kinds,
)
OPTIMISERS = {"adam": ADAM, "muon": MUON}
