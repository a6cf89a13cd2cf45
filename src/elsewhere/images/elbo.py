"""Training an autoencoder: a correct ELBO with a standard normal prior, shared by all domains."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray, Shaped

from elsewhere.datasets.pictures.checks import checked_images
from elsewhere.images.autoencoder import Architecture, Autoencoder, drawn
from elsewhere.images.batches import floats
from elsewhere.images.descent import Now, StepProgress, descend
from elsewhere.images.optimisers import OPTIMISERS


@dataclass(frozen=True)
class CoderSettings:
    """What an autoencoder is and how it is trained.

    Args:
        beta: the weight of the divergence against the summed squared error.
        architecture: "beta_vae" or "vq_vae".
        colours: how many of a code's first numbers hold the colours, and nothing else does.
        steps: how many batches; rounded up to a multiple of 20.
        batch: images in each.
        rate: the learning rate at the start; it falls to 0.
        optimiser: "muon" or "adam".
    """

    beta: float = 0.2
    architecture: Architecture = "beta_vae"
    colours: int = 0
    steps: int = 2_000
    batch: int = 128
    rate: float = 4e-3
    optimiser: str = "muon"

    def __post_init__(self) -> None:
        if not self.beta > 0:
            raise ValueError(f"beta must be positive; got {self.beta}.")
        if self.optimiser not in OPTIMISERS:
            known = ", ".join(OPTIMISERS)
            raise ValueError(f"optimiser must be one of {known}; got {self.optimiser!r}.")


def train_autoencoder(
    key: PRNGKeyArray,
    images: Shaped[np.ndarray, "n h w c"],
    m: int,
    settings: CoderSettings = CoderSettings(),  # noqa: B008
    *,
    progress: StepProgress | None = None,
) -> Autoencoder:
    """min |x − x̂|² + β KL(q(z | x) ‖ N(0, I)): −2σ² times the ELBO for noise σ² = β/2 a pixel.

    Domains are not told apart: one autoencoder serves every model of these images.

    Args:
        key: the first weights, the batches and all draws of z.
        images: uint8, or floats in 0..1.
        m: the dimension of a code.
        settings: of the autoencoder and its training.
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    checked = checked_images("images", images)
    (_, h, w, c), data = checked.shape, (jnp.asarray(checked),)
    first_key, descent_key = jax.random.split(key)
    start = Autoencoder(first_key, (h, w, c), m, settings.architecture, settings.colours)
    pace = {"steps": settings.steps, "batch": settings.batch, "rate": settings.rate}
    how = {"optimiser": OPTIMISERS[settings.optimiser], "progress": progress}
    return descend(descent_key, start, NegativeELBO(settings.beta), data, **pace, **how)


@dataclass(frozen=True)
class NegativeELBO:
    """mean |x − decode(z)|² + β KL, with z ~ q(z | x)."""

    beta: float

    def __call__(
        self, model: Autoencoder, now: Now, x: Shaped[Array, "n h w c"]
    ) -> Float[Array, ""]:
        """The loss of a batch."""
        images = floats(x)
        mean, log_variance = model.posterior(images, jax.random.fold_in(now.key, 1))
        seen = model.decoder(drawn(now.key, mean, log_variance))
        return squared_error(images, seen) + self.beta * divergence(mean, log_variance)


def squared_error(x: Float[Array, "n h w c"], y: Float[Array, "n h w c"]) -> Float[Array, ""]:
    """Mean over images of |x − y|², summed over pixels."""
    return jnp.square(x - y).sum(axis=(1, 2, 3)).mean()


def divergence(mean: Float[Array, "n m"], log_variance: Float[Array, "n m"]) -> Float[Array, ""]:
    """Mean over rows of KL(N(mean, exp log_variance) ‖ N(0, I))."""
    terms = jnp.square(mean) + jnp.exp(log_variance) - 1 - log_variance
    return 0.5 * terms.sum(axis=1).mean()
