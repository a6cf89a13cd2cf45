"""Linear mixings, with and without a leaky rectifier."""

from flowjax.bijections import Chain
from jaxtyping import Array, Float

from elsewhere.bijections import Affine, LeakyReLU


def linear(G: Float[Array, "m m"], b: Float[Array, " m"] | None = None) -> Affine:
    """g(z) = G z + b."""
    return Affine(G, b)


def leaky_linear(
    G: Float[Array, "m m"], b: Float[Array, " m"] | None = None, slope: float = 0.5
) -> Chain:
    """g(z) = G · LeakyReLU(z) + b, the mixing of the paper's simulations."""
    affine = Affine(G, b)
    return Chain([LeakyReLU(affine.shape, slope=slope), affine])
