"""Fits that use rows seen in two domains."""

from elsewhere.fitting.refine.pairs.fit import Pairs, fit_with_pairs, refine_with_pairs

__all__ = ["Pairs", "fit_with_pairs", "refine_with_pairs"]
