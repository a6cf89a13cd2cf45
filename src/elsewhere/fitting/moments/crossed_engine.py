"""The engine for crossed domains: as for any table, but effects of sites and of scanners add up."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from elsewhere.arrays import Key, Words
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.combinations import Combinations
from elsewhere.fitting.moments.crossed import CrossedEffects
from elsewhere.fitting.moments.effects import effects_by_domain
from elsewhere.fitting.moments.engine import Moments, result_of
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.own_evidence import borrowing_notes
from elsewhere.fitting.moments.unseen import offsets_that_add
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import Explanation, FitResult
from elsewhere.fitting.split import Named, Split

NEGLIGIBLE = 1e-9


@final
@dataclass(frozen=True)
class Crossed(Engine):
    """As `Moments`; δ and L of 'B × 2' are those of B and of 2, and what rows show beyond that.

    Domains whose labels have one part are fitted as by `Moments`.

    Attributes:
        carried: as for `Moments`.
    """

    carried: float = 0.5

    def __post_init__(self) -> None:
        Moments(self.carried)

    def check(self, tables: Named) -> None:
        """As `Moments`; and every label has as many parts as another."""
        Moments(self.carried).check(tables)
        _ = Combinations(tuple(tables)).levels

    def row_key(self, key: Key, ks: Sequence[K]) -> Words:
        """As for `Moments`."""
        return Moments(self.carried).row_key(key, ks)

    def for_pairs(self) -> "Crossed":
        """Itself."""
        return self

    def draws(self, ks: Sequence[K]) -> bool:
        """Nothing is drawn."""
        return False

    def fit(self, key: Key, rows: Split, ks: Sequence[K], progress: Progress) -> dict[K, FitResult]:
        """One map from all rows; k is what it finds, and may not be asked for."""
        if asked := [k for k in ks if k != "auto"]:
            raise ValueError(f"k must be 'auto' for crossed domains; got {asked[0]!r}.")
        progress(0.0, "effects that add up, and interactions")
        combinations = Combinations(tuple(rows.every))
        adding = CrossedEffects(combinations) if combinations.parts > 1 else effects_by_domain
        model = affine_map(rows.every, self.carried, rows.units, adding)
        progress(1.0, "done")
        found = result_of(model, rows.held, self)
        return {
            "auto": replace(
                found,
                notes=(*found.notes, *borrowing_notes(model, rows.every)),
                explanations=(*found.explanations, _interactions(model, combinations)),
            )
        }


def _interactions(model: AffineMap, combinations: Combinations) -> Explanation:
    """Whether effects add up, in words."""
    if not combinations.spare:
        return Explanation("interactions", "not told by so few combinations", used=False)
    adding = {"offsets": offsets_that_add(model).means, "scales": model.scales.means}
    left = {name: combinations.left_over @ means for name, means in adding.items()}
    found = [name for name, means in left.items() if np.abs(means).max() > NEGLIGIBLE]
    words = f"{' and '.join(found)} of combinations differ from what their parts add up to"
    return Explanation("interactions", words if found else "not supported", bool(found))


def combinations_of(domains: Sequence[Hashable], engine: Engine | None) -> Combinations | None:
    """The combinations of a fit by `Crossed`; None for a fit by any other engine."""
    return Combinations(tuple(domains)) if isinstance(engine, Crossed) else None
