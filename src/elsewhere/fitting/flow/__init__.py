"""Flows that flatten the rows for the search by `fit`."""

from elsewhere.fitting.flow.bend import Effort
from elsewhere.fitting.flow.fit import fit_flow, fit_flow_each

__all__ = ["Effort", "fit_flow", "fit_flow_each"]
