"""Images of several domains, with the true counterfactual where it is known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from jaxtyping import Float, Int, Shaped, UInt8
from numpy.typing import ArrayLike

from elsewhere.datasets.pictures.checks import (
    Images,
    check_domains,
    checked_codes,
    checked_images,
)

Truth = Callable[[Int[np.ndarray, " r"], int], Images]


@dataclass(frozen=True)
class ImageData:
    """Images [n, h, w, c], the domain of each, and what else is known of them.

    Args:
        images: uint8 in 0..255, or float32 in 0..1.
        domains: the domain of each image, a position in `domain_names`.
        domain_names: one per domain.
        classes: the class of each image, which a change of domain should keep; may be unknown.
        class_names: one per class.
        factors: what else is known of each image, by name.
        truth: from rows and d' to the true images x_{d→d'} of these rows, where it is known.
    """

    images: Images
    domains: Int[np.ndarray, " n"]
    domain_names: tuple[str, ...]
    classes: Int[np.ndarray, " n"] | None = None
    class_names: tuple[str, ...] = ()
    factors: Mapping[str, Shaped[np.ndarray, "..."]] = field(default_factory=dict)
    truth: Truth | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "images", checked_images("images", self.images))
        check_domains(self.domain_names)
        checked_codes("domains", self.domains, self.domain_names, len(self))
        if self.classes is not None:
            checked_codes("classes", self.classes, self.class_names, len(self))
        for name, factor in self.factors.items():
            if len(factor) != len(self):
                raise ValueError(
                    f"factors[{name!r}] must have one entry per image, {len(self)}; "
                    f"got {len(factor)}."
                )

    def __len__(self) -> int:
        return len(self.images)

    @property
    def num_domains(self) -> int:
        """How many domains there are, present in these rows or not."""
        return len(self.domain_names)

    def floats(self) -> Float[np.ndarray, "n h w c"]:
        """The images in float32, 0..1."""
        return as_floats(self.images)

    def domain(self, name: int | str) -> int:
        """The number of a domain, from its name or number."""
        if name in self.domain_names:
            return self.domain_names.index(str(name))
        if isinstance(name, int) and 0 <= name < self.num_domains:
            return name
        raise ValueError(f"domain must be one of {self.domain_names} or a number; got {name!r}.")

    def rows_of(self, domain: int | str) -> Int[np.ndarray, " r"]:
        """The positions of a domain's images."""
        return np.flatnonzero(self.domains == self.domain(domain))

    def take(self, rows: ArrayLike) -> "ImageData":
        """These rows only, in this order; the truth goes along."""
        index, truth = np.asarray(rows, int), self.truth
        return replace(
            self,
            images=self.images[index],
            domains=self.domains[index],
            classes=None if self.classes is None else self.classes[index],
            factors={name: factor[index] for name, factor in self.factors.items()},
            truth=truth and (lambda some, target: truth(index[some], target)),
        )

    def counterfactual(self, rows: ArrayLike, target: int | str) -> Images:
        """x_{d→d'}: what the images of these rows would truly be, had they come from `target`."""
        if self.truth is None:
            raise ValueError("the true counterfactuals of these images are not known.")
        return self.truth(np.atleast_1d(np.asarray(rows, int)), self.domain(target))


@dataclass(frozen=True)
class ImageSplits:
    """Images to train on, to choose by, and to judge by."""

    train: ImageData
    valid: ImageData
    test: ImageData


def as_floats(images: Shaped[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """uint8 in 0..255 to float32 in 0..1; floats stay."""
    scale = 255 if images.dtype == np.uint8 else 1
    return images.astype(np.float32) / np.float32(scale)


def as_bytes(images: Float[np.ndarray, "*shape"]) -> UInt8[np.ndarray, "*shape"]:
    """Floats in 0..1 to uint8 in 0..255, rounded; what lies outside is cut."""
    return np.rint(np.clip(images, 0, 1) * 255).astype(np.uint8)
