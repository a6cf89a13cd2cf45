"""The estimator for images: arrays or a folder in, the same images from elsewhere out."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from typing import Any, no_type_check

import jax
import numpy as np
from jaxtyping import Float, Shaped
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from elsewhere.datasets.pictures import ImageData, as_bytes, image_data, load_folder
from elsewhere.datasets.pictures.checks import checked_images
from elsewhere.estimators.base import CounterfactualEstimator, Header, RandomState, seed_of
from elsewhere.estimators.image_fit import check_settings, check_size, fit_images, new_codes
from elsewhere.estimators.image_header import check_header
from elsewhere.estimators.image_labels import image_codes
from elsewhere.estimators.image_pairs import image_pairs
from elsewhere.estimators.labels import Codes, check_label
from elsewhere.fitting import Progress
from elsewhere.images.autoencoder import Architecture
from elsewhere.images.elbo import CoderSettings
from elsewhere.images.fit_codes import FlowSettings, Variant
from elsewhere.saving import Reader, Writer

KIND = "ImageDomainCounterfactual"
_PLAIN = ("m", "k", "variant", "beta", "architecture", "colours", "steps", "size", "detail")
Images = Shaped[np.ndarray, "n h w c"] | Shaped[np.ndarray, "n h w"]


class ImageDomainCounterfactual(CounterfactualEstimator):
    """x̂_{d→d'} = decode(g∘f_d'∘f_d⁻¹∘g⁻¹(encode(x))) + detail, fitted to unpaired images.

    Args:
        m: the dimension of a code.
        k: how many mechanisms may differ between domains.
        variant: "can", "dense" (all differ) or "independent" (one g for each domain).
        beta: the weight of the autoencoder's divergence against its summed squared error.
        architecture: "beta_vae" or "vq_vae", of encoder and decoder.
        colours: how many of a code's numbers hold the colours, where domains differ in these: the
            others are then the same whatever the colours. 0 for no such difference.
        steps: of the autoencoder's training.
        flow: a `FlowSettings`: size and training of g and f; None for the defaults, and
            `elsewhere.images.fit_codes.FAR` where domains lie far apart, as turned by 90°.
        size: make the images of a folder size × size.
        detail: whether answers keep what the decoder cannot draw, x − decode(encode(x)), where the
            images tell that it stays in its place, as with colour and contrast.
        random_state: a seed, a NumPy RandomState, or None for a fresh one.

    Attributes:
        domains_: the names of the domains.
        shape_: (height, width, channels) of an image.
        model_: the fitted `ImageILD`, which `elsewhere.images.image_scores` can judge.
        notes_: warnings in plain words; empty when nothing is to be said.
    """

    of = "images"

    @no_type_check  # scikit-learn asks that a constructor accepts anything; `fit` judges
    def __init__(
        self,
        m: int = 20,
        k: int = 1,
        variant: Variant = "can",
        beta: float = 0.2,
        architecture: Architecture = "beta_vae",
        colours: int = 0,
        steps: int = 2_000,
        flow: FlowSettings | None = None,
        size: int | None = None,
        detail: bool = True,
        random_state: RandomState = 0,
    ):
        self.m = m
        self.k = k
        self.variant: Variant = variant
        self.beta = beta
        self.architecture: Architecture = architecture
        self.colours = colours
        self.steps = steps
        self.flow = flow
        self.size = size
        self.detail = detail
        self.random_state = random_state

    def fit(
        self,
        images: ArrayLike | Mapping[str, ArrayLike] | str | PathLike[str] | ImageData,
        domains: ArrayLike | None = None,
        *,
        pairs: Any = None,
        progress: Progress | None = None,
    ) -> "ImageDomainCounterfactual":
        """Fit to images of at least two domains.

        Args:
            images: [n, h, w] or [n, h, w, c], integers in 0..255 or floats in 0..1; or such an
                array by domain; or a folder with one sub-folder per domain; or an `ImageData`.
            domains: one label per image, where `images` is one array.
            pairs: images seen in two domains, beside the others: `elsewhere.fitting.Pairs` or
                tuples (source, target, images, the same images in target), one or a list.
            progress: called with the fraction done and a line of text.
        """
        check_settings(self.m, self.k, self.variant, self.architecture, pairs)
        coder = CoderSettings(self.beta, self.architecture, self.colours, self.steps)
        check_size(self.size or 1, self.size or 1, self.m)  # or they are too large to be loaded
        data = _data(images, domains, self.size)
        check_size(data.images.shape[1], data.images.shape[2], self.m)
        paired = image_pairs(pairs, data.domain_names, data.images.shape[1:])
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        self.model_, self.notes_ = fit_images(
            jax.random.key(int(seed)),
            data,
            m=self.m,
            k=self.k,
            variant=self.variant,
            coder=coder,
            flow=self.flow or FlowSettings(),
            pairs=paired,
            detail=self.detail,
            progress=progress,
        )
        self.domains_ = data.domain_names
        return self

    def reconstruct(self, images: ArrayLike) -> Images:
        """decode(encode(x)): what the model sees of every image, of the type of `images`."""
        x = self.like_fitted(images)
        return _like(x, self.model_.reconstruct(x)).reshape(np.shape(images))

    @property
    def shape_(self) -> tuple[int, int, int]:
        """(height, width, channels) of an image."""
        return self.model_.autoencoder.shape

    def like_fitted(self, images: ArrayLike) -> Shaped[np.ndarray, "n h w c"]:
        """The images as [n, h, w, c], bytes or floats; an error if unlike those fitted."""
        self._check_fitted()
        x = checked_images("images", images)
        if x.shape[1:] != self.shape_:
            raise ValueError(
                "images must have the height, width and channels of those fitted, "
                f"{self.shape_}; got {x.shape[1:]}. Resize them, or fit again."
            )
        return x

    def _counterfactual(self, X: ArrayLike, source: Any, target: Any) -> Images:
        x = self.like_fitted(X)
        d, e = (
            self._codes(name, labels, len(x))
            for name, labels in (("source", source), ("target", target))
        )
        answer = x.copy()
        for i, j in {*zip(d.tolist(), e.tolist(), strict=True)}:
            rows = (d == i) & (e == j)
            if i != j:
                answer[rows] = _like(x, self.model_.counterfactual(x[rows], i, j))
        return answer.reshape(np.shape(X))

    def _codes(self, name: str, labels: Any, n: int) -> Codes:
        return image_codes(name, labels, n, self.domains_)

    def _noise_dimension(self) -> int:
        return self.model_.autoencoder.m

    def _made(self, eps: Float[np.ndarray, "n m"], code: int) -> Float[np.ndarray, "n h w c"]:
        """Floats in 0..1."""
        codes = new_codes(self.model_.codes, eps.astype(np.float32), code)
        made = self.model_.autoencoder.decode(codes)
        return _like(made, made)

    def _describe(self) -> tuple[Header, list[np.ndarray]]:
        writer = Writer()
        settings = {name: getattr(self, name) for name in _PLAIN} | {
            "flow": None if self.flow is None else asdict(self.flow),
            "random_state": seed_of(self.random_state),
        }
        header = {
            "settings": settings,
            "domains": list(self.domains_),
            "notes": list(self.notes_),
            "model": writer.part(self.model_),
        }
        return header, writer.arrays

    @classmethod
    def _check_file(cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
        check_header(header, Reader(arrays))

    @classmethod
    def _restore(
        cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        reader = Reader(arrays)
        check_header(header, reader)
        settings = dict(header["settings"])
        flow = settings.pop("flow")
        fitted = {
            "model_": reader.part(header["model"]),
            "domains_": tuple(header["domains"]),
            "notes_": tuple(header.get("notes", ())),
        }
        return settings | {"flow": flow and FlowSettings(**_tuples(flow))}, fitted


def _data(images: Any, domains: ArrayLike | None, size: int | None) -> ImageData:
    """Whatever was given as image data with at least one image per domain."""
    if isinstance(images, ImageData | str | PathLike | Mapping) and domains is not None:
        raise ValueError("domains must be left out where images tell their domains themselves.")
    if isinstance(images, str | PathLike):
        return _enough(load_folder(images, size=size))
    return _enough(images if isinstance(images, ImageData) else image_data(images, domains))


def _enough(data: ImageData) -> ImageData:
    """The data, or which of its domains have too few images, or a name that means all of them."""
    for name in data.domain_names:
        check_label(name)
    empty = [name for d, name in enumerate(data.domain_names) if not len(data.rows_of(d))]
    if empty:
        raise ValueError(f"every domain must have images; {empty} have none. Drop their names.")
    alone = [name for d, name in enumerate(data.domain_names) if len(data.rows_of(d)) == 1]
    if alone:
        raise ValueError(
            f"every domain must have at least 2 images, because one has no spread; {alone} have "
            "one. Add images, or leave them out."
        )
    return data


def _tuples(saved: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has lists only."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in saved.items()}


def _like(
    given: Shaped[np.ndarray, "_ h w c"], answer: Float[np.ndarray, "n h w c"]
) -> Shaped[np.ndarray, "n h w c"]:
    """In bytes where bytes were given; raises where an answer is not finite."""
    if not (finite := np.isfinite(answer).all(axis=(1, 2, 3))).all():
        raise ValueError(
            f"the answer is not finite at image {int(np.argmin(finite))}: the model cannot move "
            "it. Leave the image out, or fit again."
        )
    return as_bytes(answer) if given.dtype == np.uint8 else answer.astype(given.dtype)
