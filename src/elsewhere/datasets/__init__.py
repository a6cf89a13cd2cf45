"""Data of several domains, with the truth where it is known."""

from typing import TYPE_CHECKING

from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.datasets.simulated import DomainData, simulate, simulated_truth

_NAMES = ("DomainData", "simulate", "simulated_truth")

__getattr__ = lazily(__name__, dict.fromkeys(_NAMES, "simulated"))

__all__ = ["DomainData", "simulate", "simulated_truth"]
