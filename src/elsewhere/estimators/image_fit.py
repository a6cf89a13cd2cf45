"""Both stages of an image model: one autoencoder, then a flow and a sparse SCM on its codes."""

from typing import Any, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import push
from elsewhere.datasets.pictures import ImageData
from elsewhere.draws import generator
from elsewhere.estimators.image_pairs import ImagePairs
from elsewhere.fitting import Progress
from elsewhere.fitting.progress import part_of
from elsewhere.images.autoencoder import Architecture
from elsewhere.images.batches import in_batches
from elsewhere.images.code_models import CodeModel, OwnMixings
from elsewhere.images.descent import StepProgress
from elsewhere.images.detail import detail_shares
from elsewhere.images.domain_information import ignoring_note
from elsewhere.images.elbo import CoderSettings, train_autoencoder
from elsewhere.images.fit_codes import WITHOUT_PAIRS, FlowSettings, Variant, fit_codes
from elsewhere.images.image_ild import ImageILD
from elsewhere.images.paired_codes import paired_codes
from elsewhere.saving.images import LARGEST_PRODUCT


def fit_images(
    key: PRNGKeyArray,
    data: ImageData,
    *,
    m: int,
    k: int,
    variant: Variant,
    coder: CoderSettings,
    flow: FlowSettings,
    pairs: ImagePairs | None = None,
    detail: bool = True,
    progress: Progress | None = None,
) -> tuple[ImageILD, tuple[str, ...]]:
    """The model of these images, and notes; see `ImageDomainCounterfactual` for the settings."""
    first, second = jax.random.split(key)
    split = _share_of_coder(coder, flow)
    autoencoder = train_autoencoder(
        first, data.images, m, coder, progress=_part(progress, 0.0, split, "learning the images")
    )
    codes = autoencoder.encode(data.images)
    model = fit_codes(
        second,
        codes,
        data.domains,
        k=k,
        variant=variant,
        settings=flow,
        images=data.images,
        pairs=pairs and paired_codes(autoencoder, *pairs),
        progress=_part(progress, split, 1.0, "learning the domains"),
    )
    kept = None
    if detail:
        rng = generator(jax.random.fold_in(key, 2))
        kept = detail_shares(autoencoder, model, data.images, data.domains, rng)
    return ImageILD(autoencoder, model, kept), ignoring_note(model, codes.mean, data.domains)


def check_settings(m: Any, k: Any, variant: Any, architecture: Any, pairs: Any = None) -> None:
    """Raise what `fit_images` could not use, before an hour of training rather than after."""
    for name, value, known in (
        ("variant", variant, get_args(Variant)),
        ("architecture", architecture, get_args(Architecture)),
    ):
        if value not in known:
            raise ValueError(f"{name} must be one of {known}; got {value!r}.")
    if variant == "independent" and pairs is not None:
        raise ValueError(WITHOUT_PAIRS)
    if m < 2 or not 1 <= k <= m:
        raise ValueError(f"m must be at least 2 and k in 1..m; got m={m} and k={k}.")


def check_size(height: int, width: int, m: int) -> None:
    """Raise where the model could not be saved, before an hour of training rather than after."""
    if height * width * m > LARGEST_PRODUCT:
        raise ValueError(
            f"height × width × m must be at most {LARGEST_PRODUCT}; got {height}, {width}, {m}. "
            "Make the images smaller, as by --size."
        )


def new_codes(model: CodeModel, eps: Float[np.ndarray, "n m"], d: int) -> Float[np.ndarray, "n m"]:
    """z of noise ε in a domain."""
    if isinstance(model, OwnMixings):
        return in_batches(push, model.mixings[d], eps)
    return in_batches(_made, model, eps, jnp.asarray(d))


def _made(model: CodeModel, eps: Array, d: Array) -> Array:
    return model.codes(eps, jnp.full(len(eps), d))[0]  # type: ignore[union-attr]


def _share_of_coder(coder: CoderSettings, flow: FlowSettings) -> float:
    """How much of the time the autoencoder takes, about: see `benchmarks/time_left.py`.

    One of its steps takes 1.7 times as long as one of the flow, whose compilation takes as long as
    1,700 of its own.
    """
    of_coder, of_flow = 1.7 * coder.steps, 1_700 + flow.steps
    return of_coder / (of_coder + of_flow)


def _part(progress: Progress | None, start: float, end: float, name: str) -> StepProgress | None:
    """The steps of a part of the whole, from `start` to `end`."""
    if progress is None:
        return None
    told = part_of(progress, start, end, name)
    return lambda step, steps, loss: told(step / steps, f"step {step} of {steps}, loss {loss:.4g}")
