"""The paper's own procedure, for comparison."""

from elsewhere.fitting.recipe.fit import fit_paper_recipe, fit_paper_recipe_many

__all__ = ["fit_paper_recipe", "fit_paper_recipe_many"]
