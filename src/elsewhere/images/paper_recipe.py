"""The paper's one-stage objective for images, to be compared with."""

from dataclasses import dataclass
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray, Shaped

from elsewhere.datasets.pictures.checks import checked_codes, checked_images
from elsewhere.images.autoencoder import Architecture, Autoencoder
from elsewhere.images.batches import floats
from elsewhere.images.descent import Now, StepProgress, descend
from elsewhere.images.elbo import divergence, squared_error
from elsewhere.images.optimisers import PAPER_ADAM
from elsewhere.images.paper_networks import PaperImageILD, PaperNetworks

Reading = Literal["program", "printed"]
PaperVariant = Literal["can", "dense", "independent"]


@dataclass(frozen=True)
class PaperLoss:
    """mean |x − x̂|² + β KL, where f⁺_{d,σ} gives s.

    "printed": s = log σ², in the draw of ε and in the divergence. "program", as the authors'
    program has it: s is σ in the draw and log σ² in the divergence.
    """

    beta: float
    reading: Reading

    def __call__(
        self, model: PaperNetworks, now: Now, x: Shaped[Array, "n h w c"], d: Int[Array, " n"]
    ) -> Float[Array, ""]:
        """The loss of a batch."""
        images = floats(x)
        mean, s = model.posterior(images, d)
        sigma = s if self.reading == "program" else jnp.exp(0.5 * s)
        eps = mean + sigma * jax.random.normal(now.key, mean.shape, mean.dtype)
        return squared_error(images, model.image(eps, d)) + self.beta * divergence(mean, s)


def train_paper_recipe(
    key: PRNGKeyArray,
    images: Shaped[np.ndarray, "n h w c"],
    domains: Int[np.ndarray, " n"],
    m: int,
    *,
    k: int | None,
    variant: PaperVariant = "can",
    reading: Reading = "program",
    beta: float = 1_000.0,
    architecture: Architecture = "beta_vae",
    steps: int = 300_000,
    batch: int = 1_024,
    rate: float = 1e-4,
    progress: StepProgress | None = None,
) -> PaperImageILD:
    """min |x − x̂|² + β KL over g⁺, g and all f at once, as the paper does.

    The paper trains 200,000 to 500,000 steps at constant rates with β₁ = 0.5, and so does this;
    T_d starts near I, for the paper does not say.

    Args:
        key: the first weights, the batches and all draws.
        images: uint8, or floats in 0..1.
        domains: the domain of each, counted from 0.
        m: the dimension of z and ε.
        k: how many of the last rows of f differ between domains ("can" only).
        variant: "can", "dense" (all rows differ) or "independent" (g and g⁺ differ too).
        reading: what f⁺_{d,σ} gives; see `PaperLoss`.
        beta: the paper has 1,000 for digits and garments, 10 for scenes.
        architecture: "beta_vae"; "vq_vae" for Causal3DIdent.
        steps: how many batches; rounded up to a multiple of 20.
        batch: images in each; "independent" divides them among the domains.
        rate: of g and g⁺; the rate of all f is ten times that.
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    check_choices(variant, reading, k)
    checked = checked_images("images", images)
    num_domains = int(domains.max()) + 1
    checked_codes("domains", domains, tuple(map(str, range(num_domains))), len(checked))
    alone = variant == "independent"
    groups = [domains == d for d in range(num_domains)] if alone else [domains >= 0]
    own = m if k is None or variant != "can" else k
    share = max(1, batch // len(groups))  # each image is seen as often, whatever the variant
    loss, pace = PaperLoss(beta, reading), {"steps": steps, "batch": share, "rate": rate}
    adam = {"falling": False, "optimiser": PAPER_ADAM}

    def trained(key: PRNGKeyArray, rows: Bool[np.ndarray, " n"]) -> PaperNetworks:
        ends_key, f_key, descent_key = jax.random.split(key, 3)
        ends = Autoencoder(ends_key, checked.shape[1:], m, architecture)
        start = PaperNetworks(f_key, ends, own, 1 if alone else num_domains)
        data = jnp.asarray(checked[rows]), jnp.asarray(0 * domains[rows] if alone else domains)
        return descend(descent_key, start, loss, data, **pace, **adam, progress=progress)

    keys = jax.random.split(key, len(groups))
    networks = [trained(own_key, rows) for own_key, rows in zip(keys, groups, strict=True)]
    return PaperImageILD(tuple(networks), num_domains)


def check_choices(variant: str, reading: str, k: int | None) -> None:
    """Raise where there is no such variant or reading, or no k where one is needed."""
    for name, value, known in (
        ("variant", variant, get_args(PaperVariant)),
        ("reading", reading, get_args(Reading)),
    ):
        if value not in known:
            raise ValueError(f"{name} must be one of {known}; got {value!r}.")
    if variant == "can" and k is None:
        raise ValueError("k must be a number for variant 'can'; 'dense' lets all differ.")
