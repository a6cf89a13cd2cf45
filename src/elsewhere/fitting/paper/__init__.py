"""The paper's own procedure, for comparison."""

from elsewhere.fitting.paper.fit import fit_paper_recipe, fit_paper_recipe_many

__all__ = ["fit_paper_recipe", "fit_paper_recipe_many"]
