"""Data of several domains, with the truth where it is known."""

from elsewhere.datasets.simulated import DomainData, simulate, simulated_truth

__all__ = ["DomainData", "simulate", "simulated_truth"]
