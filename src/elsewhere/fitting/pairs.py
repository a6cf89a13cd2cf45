"""Rows seen in two domains."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Pairs:
    """The same rows in two domains: x_target[i] is what x_source[i] was found to be in `target`.

    Either may carry measurement noise. A sample has one row of `covariates`, where any are kept.
    """

    source: Hashable
    target: Hashable
    x_source: ArrayLike
    x_target: ArrayLike
    covariates: Any = None
