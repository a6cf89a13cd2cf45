"""Fits that use rows seen in two domains."""

from elsewhere.fitting.refine.pairs.fit import Pairs, refine_with_pairs

__all__ = ["Pairs", "refine_with_pairs"]
