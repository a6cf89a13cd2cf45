"""Dense affine maps, and the recognition of any composition that is one."""

import equinox as eqx
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection, Chain, Flip, Identity, Invert, Loc, Permute
from jaxtyping import Array, Float

from elsewhere.errors import AssumptionError, concrete


class Affine(AbstractBijection):
    """y = A x + b with A any invertible matrix.

    The inverse matrix is computed once per call, outside `vmap`, and each inverse is refined by one
    Newton step, which brings the residual back to rounding level even where A is ill-conditioned.
    """

    matrix: Float[Array, "m m"]
    offset: Float[Array, " m"]
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(self, matrix: Float[Array, "m m"], offset: Float[Array, " m"] | None = None):
        self.matrix = jnp.asarray(matrix)
        m = self.matrix.shape[0]
        self.offset = jnp.zeros(m, self.matrix.dtype) if offset is None else jnp.asarray(offset)
        self.shape = (m,)

    def __check_init__(self) -> None:
        """A singular matrix is no bijection."""
        _check_invertible(self.matrix)

    def transform_and_log_det(
        self, x: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """(A x + b, log|det A|)."""
        return self.matrix @ x + self.offset, jnp.linalg.slogdet(self.matrix)[1]

    def inverse_and_log_det(
        self, y: Float[Array, " m"], condition: Array | None = None
    ) -> tuple[Float[Array, " m"], Float[Array, ""]]:
        """(A^-1 (y - b), -log|det A|)."""
        inverse = jnp.linalg.inv(self.matrix)
        x = inverse @ (y - self.offset)
        x = x + inverse @ (y - self.offset - self.matrix @ x)
        return x, -jnp.linalg.slogdet(self.matrix)[1]


def _check_invertible(matrix: Array) -> None:
    value = concrete(matrix)
    if value is None:
        return
    if value.ndim != 2 or value.shape[0] != value.shape[1]:
        raise ValueError(f"matrix must be square; got shape {value.shape}.")
    if not bool(jnp.isfinite(value).all()):
        raise ValueError("matrix must be finite; it holds NaN or inf.")
    condition = float(jnp.linalg.cond(jnp.asarray(value)))
    if not condition < 0.1 / float(jnp.finfo(value.dtype).eps):
        raise AssumptionError(
            f"matrix must be invertible in {value.dtype}: the mixing and every f_d are bijections;"
            f" its condition number is {condition:.3g}. Rescale the columns, drop the redundant "
            "ones, or use float64."
        )


def as_affine(bijection: AbstractBijection) -> tuple[Array, Array] | None:
    """(A, b) with bijection(x) = A x + b, or None where it is not affine by construction."""
    m = bijection.shape[0]
    match bijection:
        case Identity():
            return jnp.eye(m), jnp.zeros(m)
        case Permute() | Flip() | Loc() | Affine():
            return _read_affine(bijection)
        case Invert():
            return _invert_affine(as_affine(bijection.bijection))
        case Chain():
            return _chain_affine([as_affine(b) for b in bijection.bijections], m)  # type: ignore[arg-type]
    parts = getattr(bijection, "affine_parts", None)
    return parts() if parts is not None else None


def _read_affine(bijection: AbstractBijection) -> tuple[Array, Array]:
    if isinstance(bijection, Affine):
        return bijection.matrix, bijection.offset
    zero = jnp.zeros(bijection.shape)
    offset = bijection.transform(zero)
    columns = [bijection.transform(e) - offset for e in jnp.eye(len(zero))]
    return jnp.stack(columns, axis=1), offset


def _invert_affine(parts: tuple[Array, Array] | None) -> tuple[Array, Array] | None:
    if parts is None:
        return None
    inverse = jnp.linalg.inv(parts[0])
    return inverse, -inverse @ parts[1]


def _chain_affine(parts: list[tuple[Array, Array] | None], m: int) -> tuple[Array, Array] | None:
    matrix, offset = jnp.eye(m), jnp.zeros(m)
    for part in parts:
        if part is None:
            return None
        matrix, offset = part[0] @ matrix, part[0] @ offset + part[1]
    return matrix, offset
