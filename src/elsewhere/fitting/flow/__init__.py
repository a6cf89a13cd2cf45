"""Flows that flatten the rows for the search by `Profile`."""

from elsewhere.fitting.flow.bend import Effort
from elsewhere.fitting.flow.fit import Flow

__all__ = ["Effort", "Flow"]
