"""Crossed domains: effects that add up, and interactions shrunken towards none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.combinations import Combinations
from elsewhere.fitting.moments.contrasts import NO_ROWS, Contrasts
from elsewhere.fitting.moments.effects import Effects, judged, means_by_chance
from elsewhere.fitting.moments.errors import errors_of
from elsewhere.fitting.moments.parts import sizes_of, together
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.shrinkage import MOST

Rows = Float[np.ndarray, "_ p"]


@dataclass(frozen=True)
class CrossedEffects:
    """E[β | estimates], β = what adds up + what does not, each with a population of its own.

    Attributes:
        combinations: the domains.
    """

    combinations: Combinations

    def __call__(
        self,
        estimates: Float[np.ndarray, "D p"],
        influences: Sequence[Rows],
        counts: Float[np.ndarray, " D"],
        compared: Sequence[Rows],
        most: float = MOST,
        level: float = LEVEL,
        scales: Float[np.ndarray, "D p"] | None = None,
        pattern: Float[np.ndarray, " p"] | None = None,
    ) -> Effects:
        """As `effects_by_domain`: interactions are used only where chance does not explain them.

        What adds up are the estimates times the domains' scales, where scales were taken out: the
        means of the columns, and not these in deviations of their domain.
        """
        units = np.ones_like(estimates) if scales is None else scales
        counts = counts / (units**2).mean(axis=1)
        sizes, every = np.array(sizes_of(compared), float), together(influences)
        errors = errors_of(every, counts, max(len(every) - len(influences), 1))
        tested = split_contrasts(sizes, self.combinations)
        found = []
        for part, test in zip(split_contrasts(counts, self.combinations), tested, strict=True):
            if len(part.weights):
                p = means_by_chance(_only(test, compared, units), test)
                shrunken = replace(errors, compared=part).shrunken(estimates * units, most, pattern)
                found.append(judged(part, *shrunken, p, level))
        means = np.sum([e.means for e in found], axis=0)
        if means.any():  # what all domains have in common must not be taken for a part of rows
            means = means + np.average(estimates * units - means, axis=0, weights=counts)
        return Effects(
            means / units,
            np.concatenate([e.variances for e in found]) / (units**2).mean(axis=0),
            np.concatenate([e.weights for e in found]),
            min(e.p_value for e in found),
        )


def split_contrasts(
    counts: Float[np.ndarray, " D"], combinations: Combinations
) -> tuple[Contrasts, Contrasts]:
    """Of estimates y with variances λ/n_d: of what adds up, P y, and of what does not, y − P y.

    P = A (AᵀNA)⁺ AᵀN. Both are independent of each other, whatever the numbers of rows.
    """
    root = np.sqrt(np.maximum(counts, NO_ROWS))
    basis = np.linalg.svd(root[:, None] * combinations.seen)[0][:, : combinations.rank]
    inside = basis @ basis.T
    adds = inside * root / root[:, None]
    errors = [part / np.outer(root, root) for part in (inside, np.eye(len(root)) - inside)]
    centre = np.eye(len(root)) - 1 / len(root)
    return (
        _axes(centre @ errors[0] @ centre, combinations.rank - 1, adds),
        _axes(errors[1], combinations.spare, np.eye(len(root)) - adds),
    )


def _axes(
    errors: Float[np.ndarray, "D D"], count: int, reads: Float[np.ndarray, "D D"]
) -> Contrasts:
    """The principal axes of the errors, which are 0 along all others."""
    values, vectors = np.linalg.eigh((errors + errors.T) / 2)
    axes = vectors[:, len(values) - count :].T
    return Contrasts(
        axes - axes.mean(axis=1, keepdims=True),
        np.maximum(values[len(values) - count :], 0.0),
        axes @ reads,
    )


def _only(part: Contrasts, rows: Sequence[Rows], units: Float[np.ndarray, "D p"]) -> list[Rows]:
    """The rows with the differences of this part between their domains, and no others."""
    means = np.stack([table.mean(axis=0) for table in rows])
    other = means - part.back(part.of(means * units)) / units
    return [table - away for table, away in zip(rows, other, strict=True)]
