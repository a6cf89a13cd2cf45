"""How hard to search for a fit."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True)
class Options:
    """How hard to search; with the defaults the simulations with m = 6 reach the truth.

    Attributes:
        starts: random starts of the search for the latent axes, and mutants in a round.
        steps: L-BFGS steps at each smoothing width.
        parents: fits that survive a round.
        rounds: the most rounds of replaced axes, or of mutation.
        agree: with fewer starts than this at the best likelihood, the search goes on.
        explore_rows: rows of all domains together for the search.
        compare_rows: rows of all domains on which the search compares fits.
        refit_rows: rows of all domains on which the survivors and the candidates are refined.
        polish_rows: rows of all domains on which the axes of the preferred model end.
        polish_steps: L-BFGS steps of that.
        classes: the most candidates with different counterfactuals that are kept.
        beam: partial orderings kept where m is too large for the exact search.
    """

    starts: int = 32
    steps: int = 20
    parents: int = 4
    rounds: int = 12
    agree: int = 4
    explore_rows: int = 3_000
    compare_rows: int = 6_000
    refit_rows: int = 60_000
    polish_rows: int = 300_000
    polish_steps: int = 20
    classes: int = 8
    beam: int = 64

    def __post_init__(self) -> None:
        for field in fields(self):
            value, least = getattr(self, field.name), 0 if field.name == "rounds" else 1
            if not value >= least:
                raise ValueError(f"{field.name} must be at least {least}; got {value}.")


DEFAULT = Options()


def brief(options: Options) -> Options:
    """For axes that another search will move on from: one candidate, not polished."""
    return replace(options, classes=1, polish_steps=1)
