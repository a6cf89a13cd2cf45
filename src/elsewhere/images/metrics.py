"""How good image counterfactuals are: the paper's four metrics, and the truth where it is known."""

from dataclasses import asdict, dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike

from elsewhere.datasets.pictures.image_data import ImageData, as_floats
from elsewhere.images.classifiers import Classifier
from elsewhere.images.sharpness import sharpness

Images = Float[np.ndarray, "n h w c"]
KEPT = 0.02  # a pixel that the truth changes by less than this, of 1, is one it keeps


@runtime_checkable
class ImageModel(Protocol):
    """What can be judged: any object that moves images between domains and gives them back."""

    def counterfactual(self, images: Images, source: int, target: int) -> ArrayLike:
        """x̂_{d→d'} of images of domain d, floats in 0..1."""
        ...

    def reconstruct(self, images: Images) -> ArrayLike:
        """What is left of images after encoding and decoding, whatever their domain."""
        ...


@dataclass(frozen=True)
class ImageScores:
    """Shares of images in 0..1, over all images and all d' ≠ d; higher is better.

    Args:
        composition: P(h_class(x̂_{d→d}) = y).
        reversibility: P(h_class(x̂_{d→d'→d}) = y).
        effectiveness: P(h_domain(x̂_{d→d'}) = d').
        preservation: P(h_class(x̂_{d→d'}) = y).
        class_accuracy: P(h_class(x) = y), on clean images: no score above can be read without it.
        class_accuracy_reconstructed: the same on plain reconstructions.
        domain_accuracy: P(h_domain(x) = d), on clean images.
        domain_accuracy_reconstructed: the same on plain reconstructions.
        pixel_error: mean of |x̂_{d→d'} − x_{d→d'}|², summed over an image; lower is better.
        pixel_error_unmoved: the same of x, the answer of doing nothing.
        minimality: |x̂_{d→d'} − x|² over pixels that the truth keeps, by |x_{d→d'} − x|² over all
            pixels: change that was not called for; lower is better, 0 for doing nothing.
        sharpness: |∇x̂_{d→d'}|² by |∇x|² of real images of d'; 1 is as sharp as these.
    """

    composition: float
    reversibility: float
    effectiveness: float
    preservation: float
    class_accuracy: float
    class_accuracy_reconstructed: float
    domain_accuracy: float
    domain_accuracy_reconstructed: float
    pixel_error: float | None = None
    pixel_error_unmoved: float | None = None
    minimality: float | None = None
    sharpness: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """The scores by name."""
        return asdict(self)


class Judges(NamedTuple):
    """h_class and h_domain, trained on clean images."""

    of_class: Classifier
    of_domain: Classifier


class Pair(NamedTuple):
    """The scores of the images of one domain, moved to one other."""

    weight: int
    reversibility: float
    effectiveness: float
    preservation: float
    pixel_error: float = np.nan
    pixel_error_unmoved: float = np.nan
    unneeded: float = np.nan
    sharpness: float = np.nan


def image_scores(model: ImageModel, data: ImageData, judges: Judges) -> ImageScores:
    """All scores of a model on these images; the true images count where `data` knows them."""
    classes = _classes(data)
    groups = {d: data.rows_of(d) for d in range(data.num_domains) if len(data.rows_of(d))}
    pairs = [
        _pair(model, data, judges, rows, d, target)
        for d, rows in groups.items()
        for target in range(data.num_domains)
        if target != d
    ]
    mean = {name: _mean(pairs, name) for name in Pair._fields}
    kept = [_kept(model, data, judges, rows, d) * len(rows) for d, rows in groups.items()]
    known = data.truth is not None
    return ImageScores(
        composition=sum(kept) / len(data),
        reversibility=mean["reversibility"],
        effectiveness=mean["effectiveness"],
        preservation=mean["preservation"],
        class_accuracy=judges.of_class.accuracy(data.images, classes),
        domain_accuracy=judges.of_domain.accuracy(data.images, data.domains),
        **_reconstructed(model, data, judges),
        pixel_error=mean["pixel_error"] if known else None,
        pixel_error_unmoved=mean["pixel_error_unmoved"] if known else None,
        minimality=mean["unneeded"] / mean["pixel_error_unmoved"] if known else None,
        sharpness=mean["sharpness"] if len(groups) == data.num_domains else None,
    )


def _pair(
    model: ImageModel,
    data: ImageData,
    judges: Judges,
    rows: Int[np.ndarray, " n"],
    d: int,
    target: int,
) -> Pair:
    x, y = as_floats(data.images[rows]), _classes(data)[rows]
    away = _checked("counterfactual", model.counterfactual(x, d, target), x)
    back = _checked("counterfactual", model.counterfactual(away, target, d), x)
    shares = Pair(
        len(rows),
        judges.of_class.accuracy(back, y),
        judges.of_domain.accuracy(away, np.full(len(rows), target)),
        judges.of_class.accuracy(away, y),
        sharpness=sharpness(away) / _sharpness_of(data, target),
    )
    if data.truth is None:
        return shares
    true = as_floats(data.counterfactual(rows, target))
    stays = np.abs(true - x) < KEPT
    return shares._replace(
        pixel_error=_squares(away - true),
        pixel_error_unmoved=_squares(x - true),
        unneeded=_squares((away - x) * stays),
    )


def _sharpness_of(data: ImageData, d: int) -> float:
    """Of real images of a domain; NaN where there are none, or they are flat."""
    rows = data.rows_of(d)
    return (sharpness(as_floats(data.images[rows])) if len(rows) else 0.0) or np.nan


def _kept(
    model: ImageModel, data: ImageData, judges: Judges, rows: Int[np.ndarray, " n"], d: int
) -> float:
    """P(h_class(x̂_{d→d}) = y) of one domain."""
    x = as_floats(data.images[rows])
    same = _checked("counterfactual", model.counterfactual(x, d, d), x)
    return judges.of_class.accuracy(same, _classes(data)[rows])


def _reconstructed(model: ImageModel, data: ImageData, judges: Judges) -> dict[str, float]:
    x = data.floats()
    plain = _checked("reconstruct", model.reconstruct(x), x)
    return {
        "class_accuracy_reconstructed": judges.of_class.accuracy(plain, _classes(data)),
        "domain_accuracy_reconstructed": judges.of_domain.accuracy(plain, data.domains),
    }


def _checked(name: str, answer: ArrayLike, images: Images) -> Images:
    """The model's answer cut to 0..1, or what is wrong with it."""
    found = np.asarray(answer, np.float32)
    if found.shape != images.shape or not np.isfinite(found).all():
        raise ValueError(
            f"model.{name} must give finite images of shape {images.shape}; "
            f"got shape {found.shape}, {np.isfinite(found).mean():.0%} of it finite."
        )
    return np.clip(found, 0, 1)


def _classes(data: ImageData) -> Int[np.ndarray, " n"]:
    if data.classes is None:
        raise ValueError("data must have classes, because the metrics ask whether they are kept.")
    return data.classes


def _squares(difference: Images) -> float:
    """Mean over images of the sum over pixels of squares."""
    return float(np.square(difference).sum(axis=(1, 2, 3)).mean())


def _mean(pairs: list[Pair], name: str) -> float:
    """Over all images and targets alike."""
    weights = [pair.weight for pair in pairs]
    return float(np.average([getattr(pair, name) for pair in pairs], weights=weights))
