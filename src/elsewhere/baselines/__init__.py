"""Ways to move rows between domains without a causal model, to compare with."""

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
    "counterfactuals",
]
