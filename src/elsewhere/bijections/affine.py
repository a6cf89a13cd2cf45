"""Dense affine maps, and the recognition of any composition that is one."""

from functools import reduce

import equinox as eqx
import flowjax.bijections as fb
import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float

from elsewhere.errors import concrete
from elsewhere.plain_maps import Parts, check_invertible


class Affine(AbstractBijection):
    """y = A x + b with A any invertible matrix.

    The inverse matrix is computed once per call, outside `vmap`, and each inverse is refined by one
    Newton step, which brings the residual back to rounding level even where A is ill-conditioned.
    """

    matrix: Float[Array, "m m"]
    offset: Float[Array, " m"]
    shape: tuple[int, ...] = eqx.field(static=True)
    cond_shape: None = eqx.field(static=True, default=None)

    def __init__(
        self,
        matrix: Float[Array | np.ndarray, "m m"],
        offset: Float[Array | np.ndarray, " m"] | None = None,
    ):
        self.matrix = jnp.asarray(matrix)
        m = self.matrix.shape[0]
        self.offset = jnp.zeros(m, self.matrix.dtype) if offset is None else jnp.asarray(offset)
        self.shape = (m,)

    def __check_init__(self) -> None:
        """A singular matrix is no bijection."""
        if (value := concrete(self.matrix)) is not None:
            check_invertible(value)

    def affine_parts(self) -> tuple[Float[Array, "m m"], Float[Array, " m"]]:
        """(A, b)."""
        return self.matrix, self.offset

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


def as_affine(bijection: AbstractBijection) -> Parts | None:
    """(A, b) with bijection(x) = A x + b, in NumPy, or None where it is not known to be affine.

    A bijection of one's own takes part by a method `affine_parts()` that returns (A, b). While JAX
    traces a model its matrices have no values yet, and the answer is None.
    """
    match bijection:
        case fb.Identity():
            return np.eye(bijection.shape[0]), np.zeros(bijection.shape)
        case fb.Invert():
            return _invert(as_affine(bijection.bijection))  # type: ignore[arg-type]
        case fb.Chain():
            return _chain([as_affine(b) for b in bijection.bijections])  # type: ignore[arg-type]
        case fb.Permute() | fb.Flip() | fb.Loc() | fb.Scale() | fb.Affine():
            return _concrete_parts(_read_affine(bijection))
    parts = getattr(bijection, "affine_parts", None)
    return None if parts is None else _concrete_parts(parts())


def _concrete_parts(parts: tuple[Array | np.ndarray, Array | np.ndarray]) -> Parts | None:
    matrix, offset = map(concrete, parts)
    return None if matrix is None or offset is None else (matrix, offset)


def _read_affine(bijection: AbstractBijection) -> tuple[Array, Array]:
    zero = jnp.zeros(bijection.shape)
    return jax.jacfwd(bijection.transform)(zero), bijection.transform(zero)


def _invert(parts: Parts | None) -> Parts | None:
    if parts is None:
        return None
    inverse = np.linalg.inv(parts[0])
    return inverse, -inverse @ parts[1]


def _chain(parts: list[Parts | None]) -> Parts | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return reduce(lambda f, g: (g[0] @ f[0], g[0] @ f[1] + g[1]), known)
