"""Images seen in two domains, as codes: what a model of codes should turn into what."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Shaped

from elsewhere.images.autoencoder import Autoencoder, ImageCodes, drawn
from elsewhere.images.code_models import SharedMixing

AT_ONCE = 64  # pairs that a step looks at, at most


class PairedCodes(eqx.Module):
    """q(z | x) of every image in its domain d, and of the same image in d'; each way once."""

    before: ImageCodes
    after: ImageCodes
    d: Int[Array, " n"]
    d_prime: Int[Array, " n"]

    def miss(
        self, key: PRNGKeyArray, model: SharedMixing, deviation: Float[Array, " m"]
    ) -> Float[Array, ""]:
        """Mean |(z_{d→d'} − z')/sd|², z ~ q(z | x) and z' the mean of q(z | x'); to be traced."""
        draw, choice = jax.random.split(key)
        n = len(self.d)
        some = jax.random.choice(choice, n, (min(n, AT_ONCE),), replace=False)
        z = drawn(draw, *(jnp.asarray(x)[some] for x in self.before))
        moved, _ = model.codes(model.noise(z, self.d[some])[0], self.d_prime[some])
        missed = (moved - jnp.asarray(self.after.mean)[some]) / deviation
        return jnp.square(missed).sum(axis=1).mean()


def paired_codes(
    autoencoder: Autoencoder,
    images: Shaped[np.ndarray, "n h w c"],
    others: Shaped[np.ndarray, "n h w c"],
    d: Int[np.ndarray, " n"],
    d_prime: Int[np.ndarray, " n"],
) -> PairedCodes:
    """The pairs as codes, from d to d' and back.

    Args:
        autoencoder: reads them.
        images: in the domains d.
        others: the same images in the domains d_prime, in the same order.
        d: counted from 0.
        d_prime: likewise.
    """
    one, other = autoencoder.encode(images), autoencoder.encode(others)
    both: Any = lambda first, second: jnp.asarray(np.concatenate([first, second]))  # noqa: E731
    return PairedCodes(
        ImageCodes(*map(both, one, other)),
        ImageCodes(*map(both, other, one)),
        both(d, d_prime),
        both(d_prime, d),
    )
