"""The paper's own procedure, for comparison."""

from elsewhere.fitting.paper.fit import Paper, fit_paper_many

__all__ = ["Paper", "fit_paper_many"]
