"""Ways to move rows between domains without a causal model, to compare with."""

from importlib.util import find_spec

from elsewhere.baselines.combat import ComBat
from elsewhere.baselines.entropic_ot import EntropicOT
from elsewhere.baselines.gaussian_ot import GaussianOT
from elsewhere.baselines.identity import Identity
from elsewhere.baselines.interface import Baseline, FittedBaseline, counterfactuals
from elsewhere.baselines.mean_shift import MeanShift
from elsewhere.baselines.mean_variance import MeanVariance
from elsewhere.baselines.quantile import Quantile

BASELINES: dict[str, type[Baseline]] = {
    "identity": Identity,
    "mean_shift": MeanShift,
    "mean_variance": MeanVariance,
    "quantile": Quantile,
    "gaussian_ot": GaussianOT,
    "combat": ComBat,
    "entropic_ot": EntropicOT,
}


def register_baseline(name: str, kind: type[Baseline]) -> None:
    """Add a baseline, with which every planted truth is compared from now on; see `Baseline`."""
    if name in BASELINES:
        raise ValueError(f"name must be new; there is a baseline {name!r} already.")
    BASELINES[name] = kind


def available() -> dict[str, type[Baseline]]:
    """All baselines but those whose package is not installed."""
    return {n: b for n, b in BASELINES.items() if b.needs is None or find_spec(b.needs)}


__all__ = [
    "BASELINES",
    "Baseline",
    "ComBat",
    "EntropicOT",
    "FittedBaseline",
    "GaussianOT",
    "Identity",
    "MeanShift",
    "MeanVariance",
    "Quantile",
    "available",
    "counterfactuals",
    "register_baseline",
]
