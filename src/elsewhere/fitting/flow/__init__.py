"""Flows that start where a leaky-linear fit ended."""

from elsewhere.fitting.flow.fit import Effort, fit_flow

__all__ = ["Effort", "fit_flow"]
