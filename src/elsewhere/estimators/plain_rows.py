"""Many rows of plain numbers moved in few passes; all else takes the longer way, in `completed`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.estimators.columns import LARGEST, Kind
from elsewhere.estimators.in_blocks import move

if TYPE_CHECKING:
    from elsewhere.estimators.table_questions import TableQuestions

BLOCK = 8_192  # rows at a time: what they need on their way then stays in a core's own cache
Rows = Float[np.ndarray, "n m"]


def takes_plain_rows(estimator: "TableQuestions") -> bool:
    """Whether a row of plain numbers has its answer from links and models alone.

    So it is where every column is modelled, unbounded and seen in every domain, and neither
    covariates nor totals nor crossed domains come in.
    """
    space, gaps = estimator.space_, estimator.gaps_
    unbounded = all(_is_unbounded(link) for link in space.links)
    alone = estimator.covariates_ is None and estimator.crossing_ is None
    seen = gaps is None or not gaps.unseen.any()
    return unbounded and alone and seen and bool(space.columns.modelled.all())


def _is_unbounded(link: object) -> bool:
    shape, whole, zeros = (getattr(link, name) for name in ("shape", "whole", "zeros"))
    return shape == "identity" and not (whole or zeros) and getattr(link, "counts_all", True)


@dataclass(frozen=True)
class PlainRows:
    """x ↦ x_{d→d'} = u·y' + c, y = (x − c)/u, for rows as `takes_plain_rows` says.

    Attributes:
        estimator: a fitted one.
    """

    estimator: "TableQuestions"

    def __call__(self, x: Rows, codes: Codes, codes_prime: Codes) -> Rows | None:
        """The answers; None where a number is missing or too large, or an answer is."""
        answer = np.empty_like(x)
        for start in range(0, len(x), BLOCK):
            part = slice(start, start + BLOCK)
            if not (np.abs(x[part]) <= LARGEST).all():
                return None
            answer[part] = self._moved(x[part], codes[part], codes_prime[part])
            if not np.isfinite(answer[part]).all():
                return None
        return answer

    def _moved(self, x: Rows, codes: Codes, codes_prime: Codes) -> Rows:
        answer, pairs = x.copy(), codes * len(self.estimator.domains_) + codes_prime
        for pair in np.flatnonzero(np.bincount(pairs)):
            i, j = divmod(int(pair), len(self.estimator.domains_))
            if i != j:
                rows = np.flatnonzero(pairs == pair)
                answer[rows] = self._between(i, j, x[rows])
        return answer

    def _between(self, i: int, j: int, x: Rows) -> Rows:
        links, domains = self.estimator.space_.links, self.estimator.domains_
        centre, unit = (np.array([getattr(a, n) for a in links]) for n in ("centre", "unit"))
        y, models = (x - centre) / unit, self.estimator.movers
        moved = [move(model, y, domains[i], domains[j]) for model in models]
        with np.errstate(over="ignore"):
            return (moved[0] if len(moved) == 1 else np.mean(moved, axis=0)) * unit + centre


def of_kind(X: Kind, x: Rows) -> Kind:
    """The rows x in place of those of X, of its kind."""
    if not hasattr(X, "iloc"):
        return x
    answer = X.copy()
    for j, column in enumerate(x.T):
        answer.isetitem(j, np.ascontiguousarray(column))
    return answer


def is_plain(X: Kind) -> bool:
    """Whether all columns are of float64."""
    types = X.dtypes if hasattr(X, "iloc") else [getattr(X, "dtype", None)]
    return all(isinstance(kind, np.dtype) and kind == np.float64 for kind in types)
