"""The second stage: a flow and a sparse SCM on an autoencoder's codes, by exact likelihood."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import jax
import jax.numpy as jnp
import numpy as np
from flowjax.bijections import AbstractBijection, Chain
from jaxtyping import Int, PRNGKeyArray, Shaped

from elsewhere.fitting.profile.whitening import whitening
from elsewhere.images.appearance import Appearance, learn_appearance
from elsewhere.images.autoencoder import ImageCodes
from elsewhere.images.batches import in_float32
from elsewhere.images.code_loss import NONE, NegativeLikelihood, Weight
from elsewhere.images.code_models import CodeModel, OwnMixings, SharedMixing
from elsewhere.images.descent import StepProgress, descend
from elsewhere.images.matching import match_domains
from elsewhere.images.neighbours import nearest_domains
from elsewhere.images.paired_codes import PairedCodes
from elsewhere.mixing import RotatedCouplings
from elsewhere.scm import TailSCM

Variant = Literal["can", "identity", "dense", "independent"]
WITHOUT_PAIRS = (
    "pairs must be None for variant 'independent', which fits every domain by itself; leave them "
    "out, or use 'can' or 'dense'."
)


@dataclass(frozen=True)
class FlowSettings:
    """How large a flow is, how long it is fitted, and how much it is held back.

    Args:
        couplings: affine couplings of the mixing.
        width: of the two hidden layers of every network.
        steps: batches of gradient descent.
        batch: codes in each.
        rate: the learning rate at the start; it falls to 0.
        change: the weight of the mean squared change z_{d→d'} − z, in units of a code's standard
            deviations, against log-likelihood: after a rise, and at the end, geometric between.
        volume: likewise the weight of the mean squared change of log p_d(z): how typical an image
            is of its domain should not change either.
        distances: likewise the weight of how much distances between images change, of what they
            look like in grey: images that went the same way should be as far apart as before.
        matching: likewise, from the first step on, the weight of how far images look from what a
            match of the domains by distances between images has them look like.
        paired: likewise, from the first step on, the weight of how far images that were seen in two
            domains end from where they were seen, in units of a code's standard deviations.
        wait: the share of all steps before the first three count; they rise over as many again.
    """

    couplings: int = 10
    width: int = 192
    steps: int = 3_000
    batch: int = 512
    rate: float = 1e-3
    change: Weight = (0.03, 0.01)
    volume: Weight = (0.5, 0.05)
    distances: Weight = NONE
    matching: Weight = NONE
    paired: Weight = (1.0, 1.0)
    wait: float = 0.15

    def __post_init__(self) -> None:
        if not 0 <= self.wait <= 0.5:
            raise ValueError(f"wait must be a share of the steps, in 0..0.5; got {self.wait}.")
        for name in ("change", "volume", "distances", "matching", "paired"):
            weight = getattr(self, name)
            if not isinstance(weight, tuple) or len(weight) != 2 or not _weigh(weight):
                raise ValueError(
                    f"{name} must be two finite weights of at least 0, early and at the end, "
                    f"such as (0.03, 0.01); got {weight!r}."
                )


def _weigh(weight: Weight) -> bool:
    return all(0 <= part < np.inf for part in weight)  # of a NaN neither holds


FAR = FlowSettings(distances=(20.0, 5.0), matching=(5.0, 0.2))  # for domains far apart


def fit_codes(
    key: PRNGKeyArray,
    codes: ImageCodes,
    domains: Int[np.ndarray, " n"],
    *,
    k: int | None,
    variant: Variant = "can",
    settings: FlowSettings = FlowSettings(),  # noqa: B008
    images: Shaped[np.ndarray, "n h w c"] | None = None,
    pairs: PairedCodes | None = None,
    progress: StepProgress | None = None,
) -> CodeModel:
    """max mean_i E_q log p_{d_i}(z_i) over g and f_d, z_i ~ q(z | x_i), with the least change.

    Many models are as likely and answer differently. The one sought changes codes, and distances
    between images, least: the weights fall as the fit goes on, so that they choose among models
    and hardly bend them.
    Codes are drawn anew at every step; that noise is what keeps the flow from overfitting.

    Args:
        key: the first weights, the batches and all draws.
        codes: q(z | x) of the training images.
        domains: the domain of each, counted from 0.
        k: how many mechanisms may differ between domains ("can" and "identity").
        variant: "can"; "identity", where the first domain's f is the identity; "dense", where all
            mechanisms differ and change has no weight; or "independent", with one g each.
        settings: of the flow and its descent.
        images: those of the codes, which `settings.distances` and `settings.matching` ask for.
        pairs: images that were seen in two domains; not for "independent".
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    if variant not in get_args(Variant):
        raise ValueError(f"variant must be one of {get_args(Variant)}; got {variant!r}.")
    if variant in ("can", "identity") and k is None:
        raise ValueError(f"k must be a number for variant {variant!r}; 'dense' lets all differ.")
    if variant == "independent":
        if pairs is not None:
            raise ValueError(WITHOUT_PAIRS)
        return _independent(key, codes, domains, settings, progress)
    if variant == "dense" or k is None:
        alone = likelihood_alone(settings)
        return _shared(key, codes, domains, codes.mean.shape[1], alone, progress, pairs=pairs)
    looks = _looks(key, codes, images, settings)
    own = {"pairs": pairs, "anchored": variant == "identity"}
    return _shared(key, codes, domains, k, settings, progress, looks, **own)


def _looks(
    key: PRNGKeyArray,
    codes: ImageCodes,
    images: Shaped[np.ndarray, "n h w c"] | None,
    settings: FlowSettings,
) -> Appearance | None:
    if settings.distances == settings.matching == NONE:
        return None
    if images is None:
        raise ValueError("images must be given where distances or matching have a weight.")
    return learn_appearance(jax.random.fold_in(key, 1), codes, images)


def likelihood_alone(settings: FlowSettings) -> FlowSettings:
    """The same flow and descent, with nothing that chooses among equally likely models."""
    return replace(settings, change=NONE, volume=NONE, distances=NONE, matching=NONE)


def _shared(
    key: PRNGKeyArray,
    codes: ImageCodes,
    domains: Int[np.ndarray, " n"],
    k: int,
    flow: FlowSettings,
    progress: StepProgress | None,
    looks: Appearance | None = None,
    *,
    pairs: PairedCodes | None = None,
    anchored: bool = False,
) -> SharedMixing:
    m, num_domains = codes.mean.shape[1], int(domains.max()) + 1
    near = nearest_domains(codes.mean, domains, num_domains)
    keys = jax.random.split(key, 3)
    scm = in_float32(TailSCM(keys[1], m, k, num_domains, flow.width, anchored=anchored))
    start = SharedMixing(_mixing(keys[0], codes, domains, flow), scm)
    data = jnp.asarray(codes.mean), jnp.asarray(codes.log_variance), jnp.asarray(domains)
    match = None
    if looks is not None and flow.matching != NONE:
        match = match_domains(jax.random.fold_in(key, 2), looks, codes, domains, near)
    weights = flow.change, flow.volume, flow.wait, near, flow.distances, flow.matching
    loss = NegativeLikelihood(*weights, looks, match, flow.paired, pairs)
    pace = {"steps": flow.steps, "batch": flow.batch, "rate": flow.rate}
    return descend(keys[2], start, loss, data, **pace, progress=progress)


def _independent(
    key: PRNGKeyArray,
    codes: ImageCodes,
    domains: Int[np.ndarray, " n"],
    settings: FlowSettings,
    progress: StepProgress | None,
) -> OwnMixings:
    """Every domain by itself: g_d = g∘f, one domain's Dense model.

    A batch is divided among the domains, so that each code is seen as often as by one shared g.
    """
    num_domains, models = int(domains.max()) + 1, []
    flow = replace(likelihood_alone(settings), batch=max(1, settings.batch // num_domains))
    for d, own_key in enumerate(jax.random.split(key, num_domains)):
        own = ImageCodes(*(part[domains == d] for part in codes))
        alone, m = np.zeros(len(own.mean), int), own.mean.shape[1]
        models.append(_shared(own_key, own, alone, m, flow, progress))
    return OwnMixings(tuple(Chain([model.scm, model.mixing]) for model in models))


def _mixing(
    key: PRNGKeyArray, codes: ImageCodes, domains: Int[np.ndarray, " n"], flow: FlowSettings
) -> AbstractBijection:
    """Couplings near the identity, then the way back from whitened codes."""
    z = codes.draw(np.random.default_rng(0)).astype(float)
    white = whitening([z[domains == d] for d in np.unique(domains)])
    couplings = RotatedCouplings(key, z.shape[1], couplings=flow.couplings, width=flow.width)
    return in_float32(Chain([couplings, white.bijection()]))
