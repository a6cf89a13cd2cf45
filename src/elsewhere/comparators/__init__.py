"""The systems of the paper's Table 1, reduced to tables, each with its assumptions checked."""

from elsewhere.comparators.affine_flow import CausalAutoregressiveFlow
from elsewhere.comparators.bijective import BijectiveMechanisms
from elsewhere.comparators.interface import Assumption, Comparator
from elsewhere.comparators.linear_disentanglement import LinearDisentanglement
from elsewhere.comparators.score_based import ScoreBased
from elsewhere.comparators.weight_varying import WeightVarying
from elsewhere.comparators.with_pairs import WithPairs

COMPARATORS: dict[str, type[Comparator]] = {
    "bijective": BijectiveMechanisms,
    "affine_flow": CausalAutoregressiveFlow,
    "linear_disentanglement": LinearDisentanglement,
    "score_based": ScoreBased,
    "weight_varying": WeightVarying,
    "with_pairs": WithPairs,
}

__all__ = [
    "COMPARATORS",
    "Assumption",
    "BijectiveMechanisms",
    "CausalAutoregressiveFlow",
    "Comparator",
    "LinearDisentanglement",
    "ScoreBased",
    "WeightVarying",
    "WithPairs",
]
