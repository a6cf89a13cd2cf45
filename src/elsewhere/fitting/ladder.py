"""The ladder of explanations: linear, unless held-out rows prefer leaky."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, final

from jaxtyping import PRNGKeyArray

from elsewhere.fitting.engine import Engine, FitResult, K, Progress, part_of
from elsewhere.fitting.profile.estimate import Profile
from elsewhere.fitting.profile.likelihood import held_out_rows, paired
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.split import Named, Split

LEAST_GAIN = 0.002  # nats per row by which leaky must beat linear, beside twice its error


@final
@dataclass(frozen=True)
class Auto(Engine):
    """Linear, unless held-out rows prefer leaky by 0.002 nats per row and two standard errors.

    Attributes:
        slope: of the leaky mixing where its latent is negative.
        options: how hard to search.
    """

    slope: float = 0.5
    options: Options = DEFAULT

    def check(self, tables: Named) -> None:
        """As for both mixings."""
        self.rung("linear").check(tables)

    def row_key(self, key: PRNGKeyArray) -> PRNGKeyArray:
        """As for both mixings."""
        return self.rung("linear").row_key(key)

    def rung(self, mixing: Literal["linear", "leaky"]) -> Profile:
        """The engine of one of the two mixings."""
        return Profile(mixing, self.slope, self.options)

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """Both mixings for every k, and for each k the one that held-out rows prefer."""
        simple = self.rung("linear").fit(key, rows, ks, part_of(progress, 0.0, 0.3, "linear"))
        bent = self.rung("leaky").fit(key, rows, ks, part_of(progress, 0.3, 1.0, "leaky"))
        better = {k: is_likelier(bent[k], simple[k], rows.held) for k in ks}
        return {k: bent[k] if better[k] else simple[k] for k in ks}


def is_likelier(result: FitResult, simpler: FitResult, held: Named) -> bool:
    """On held-out rows, by LEAST_GAIN + 2 standard errors of the paired difference."""
    gain, error = paired(*(held_out_rows(r.model, held) for r in (result, simpler)))  # type: ignore[arg-type]
    return gain > LEAST_GAIN + 2 * error
