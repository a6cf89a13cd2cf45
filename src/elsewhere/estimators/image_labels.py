"""Domains of images by name or number: one for all images, or one for each."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from jaxtyping import Int

from elsewhere.errors import DomainError
from elsewhere.estimators.labels import factorised


def image_codes(name: str, labels: Any, n: int, domains: tuple[str, ...]) -> Int[np.ndarray, " n"]:
    """The position of every image's domain."""
    codes, found = factorised(name, labels, n)
    return np.array([label_of(name, label, domains) for label in found], int)[codes]


def label_of(name: str, label: Hashable, domains: tuple[str, ...]) -> int:
    """The position of a domain: by its name, or by number where no name is one.

    A number that is a name means the domain of that name, so that labels 1 and 2 stay themselves.
    """
    if str(label) in domains:
        return domains.index(str(label))
    numbered = any(text.lstrip("+-").replace(".", "", 1).isdigit() for text in domains)
    whole = -1 if numbered or isinstance(label, bool) or not isinstance(label, int) else label
    if 0 <= whole < len(domains):
        return whole
    raise DomainError(
        f"{name} must be domains of the fit, {list(domains)}"
        f"{'' if numbered else f', or numbers in 0..{len(domains) - 1}'}; got {label!r}."
    )
