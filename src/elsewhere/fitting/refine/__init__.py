"""From one result to another: pairs of rows, one more domain, mirrored noises."""

from elsewhere.fitting.refine.add_domain import add_domain
from elsewhere.fitting.refine.mirrors import with_mirrors
from elsewhere.fitting.refine.pairs import Pairs, refine_with_pairs

__all__ = ["Pairs", "add_domain", "refine_with_pairs", "with_mirrors"]
