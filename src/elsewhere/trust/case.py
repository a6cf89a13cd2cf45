"""What is judged: a fitted estimator and rows of its domains, in link space."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.errors import DomainError
from elsewhere.estimators import DomainCounterfactual, in_blocks
from elsewhere.estimators.carried_columns import columns_beside, without
from elsewhere.estimators.crossing import one_column
from elsewhere.estimators.kept_covariates import moving, rest_of, whole
from elsewhere.fitting.moments import AffineMap
from elsewhere.model import ILD
from elsewhere.movers import Mover

Rows = Float[np.ndarray, "n m"]
Pair = tuple[Hashable, Hashable]
ROWS = 2_000  # rows of each domain that are looked at, at most
FEW = 20  # rows of a domain below which no test on it has power: the fit has seen them all


@dataclass(frozen=True)
class Case:
    """Some rows of each domain: as given, and in link space; at most 2,000 of each.

    Attributes:
        estimator: the fitted one.
        given: rows of each domain that has any, of the user's kind.
        linked: the same rows in link space, without what their covariates explain.
        seed: random seed.
        invariants: what must not change between domains, if anything was named.
        planted: whether to fit again to data simulated from the model.
        covariates: of the rows of each domain, where the fit has kept any.
        beside: which of these rows have other columns, that the model neither moves nor keeps; and
            these columns of them.
    """

    estimator: DomainCounterfactual
    given: dict[Hashable, Any]
    linked: dict[Hashable, Rows]
    seed: int
    invariants: Any = None
    planted: bool = True
    covariates: Mapping[Hashable, Any] = field(default_factory=dict)
    beside: Mapping[Hashable, tuple[np.ndarray, Any]] = field(default_factory=dict)

    @property
    def model(self) -> Mover:
        """The preferred model."""
        return self.estimator.result_.model

    @property
    def small(self) -> list[Hashable]:
        """Domains with too few rows for any test to have power."""
        return [d for d, rows in self.linked.items() if len(rows) < FEW]

    @property
    def names(self) -> tuple[str, ...]:
        """The modelled columns."""
        return tuple(str(name) for name in self.estimator.space_.columns.inside)

    @property
    def pairs(self) -> list[Pair]:
        """Every ordered pair of domains that have rows here."""
        return list(permutations(self.linked, 2))

    @cached_property
    def unit(self) -> Float[np.ndarray, " m"]:
        """The standard deviation of each column within domains, in link space."""
        several = [rows for rows in self.linked.values() if len(rows) > 1]
        known = several or [np.concatenate(list(self.linked.values()))]
        found = np.sqrt(np.mean([rows.var(axis=0) for rows in known], axis=0))
        return np.where(found > 0, found, 1.0)

    @cached_property
    def moved(self) -> dict[Pair, Rows]:
        """y_{d→d'} of all rows: the estimator's answer, with levels as it names them."""
        means = {p: np.mean([self._by(m, p) for m in self._models], axis=0) for p in self.pairs}
        return {pair: self._with_levels(pair, rows) for pair, rows in means.items()}

    @cached_property
    def carried(self) -> dict[Pair, Rows]:
        """The same with all of a row moving along, so that the rows vary as those of d' do."""
        model, rows = self.model, self.linked
        known = self.estimator.covariates_
        if isinstance(model, AffineMap) and model.carried < 1:
            every = replace(model, carried=1.0)
            found = {pair: self._by(every, pair) for pair in self.pairs}
        elif known is None or known.carried == 1:
            return self.moved
        else:
            found = {(d, e): in_blocks.move(model, rows[d], d, e) for d, e in self.pairs}
        return {pair: self._with_levels(pair, moved) for pair, moved in found.items()}

    @cached_property
    def noise(self) -> dict[Hashable, Rows]:
        """ε of all rows in their own domain; of a model that has any."""
        return {d: in_blocks.noise(self.model, rows, d) for d, rows in self.linked.items()}

    @property
    def _models(self) -> Sequence[Mover]:
        return self.estimator.result_.preferred

    def _by(self, model: Mover, pair: Pair) -> Rows:
        d, e = pair
        known = self.estimator.covariates_
        all_moves = known is None or known.carried == 1
        if model is self.model and isinstance(model, ILD) and all_moves:
            return in_blocks.made(model, self.noise[d], e)  # the noise is found once for all e
        return in_blocks.move(model, moving(known, self.linked[d], self._codes(d, d)), d, e)

    def answer(self, pair: Pair) -> Any:
        """The rows of d as if from d', of the user's kind, with what covariates explain in d'."""
        return self.estimator.from_link_space(self.put_in(pair), self.given[pair[0]])

    def put_in(self, pair: Pair) -> Rows:
        """y_{d→d'} with what the rows' covariates explain in d'."""
        return self._put_in(pair, self.moved[pair])

    def _put_in(self, pair: Pair, rows: Rows) -> Rows:
        d, e = pair
        return whole(self.estimator.covariates_, rows, self._z.get(d), self._codes(d, e))

    def _with_levels(self, pair: Pair, rows: Rows) -> Rows:
        """With the score of the level that is answered: a move within one level is none."""
        links = self.estimator.space_.links
        where = [j for j, link in enumerate(links) if link.cuts]
        if not where:
            return rows
        before, rows = self._put_in(pair, rows), rows.copy()
        for j in where:
            y = before[:, j]
            rows[:, j] += links[j].forward(links[j].inverse(y)) - y
        return rows

    def uncertainty(self, pair: Pair) -> Rows:
        """Standard errors of y_{d→d'}, entry by entry."""
        d, e = pair
        known, rest, z = self.estimator.covariates_, self.linked[d], self._z.get(d)
        found = self.estimator.result_.uncertainty(rest, d=d, d_prime=e)
        if known is None or z is None:
            return found
        return known.errors(found, rest, z, self._codes(d, d), self._codes(d, e))

    @cached_property
    def _z(self) -> dict[Hashable, Rows]:
        known = self.estimator.covariates_
        if known is None:
            return {}
        return {d: known.z(self.covariates[d], len(rows)) for d, rows in self.linked.items()}

    def _codes(self, d: Hashable, domain: Hashable) -> np.ndarray:
        """The place of a domain, once for every row of d."""
        return np.full(len(self.linked[d]), self.estimator.domains_.index(domain))

    def rng(self, stream: int) -> np.random.Generator:
        """Draws that depend on the seed and on what they are for."""
        return np.random.default_rng([self.seed, stream])

    def moves(self) -> Iterator[tuple[Pair, Rows]]:
        """The change of every row, in within-domain deviations of link space, by pair."""
        known = self.estimator.covariates_
        for d, e in self.moved:
            before = whole(known, self.linked[d], self._z.get(d), self._codes(d, d))
            yield (d, e), (self.put_in((d, e)) - before) / self.unit


def make_case(
    estimator: DomainCounterfactual,
    X: Any,
    domains: Any,
    seed: int,
    *,
    invariants: Any = None,
    planted: bool = True,
    covariates: Any = None,
    beside: Any = None,
) -> Case:
    """The rows of X by domain, some of them drawn where there are many; missing entries drawn."""
    others = columns_beside(X, estimator.carried_) if beside is None else beside
    X = without(X, estimator.carried_)
    y = estimator.to_link_space(X)
    labels = list(one_column(domains))
    if len(labels) != len(y):
        raise ValueError(
            f"domains must have one label per row: X has {len(y)} rows; got {len(labels)}."
        )
    if np.isnan(y).any():
        X = estimator.complete(X, domains, covariates=covariates, zeros=True)
        y = estimator.to_link_space(X)
    rng = np.random.default_rng([seed, 0])
    where = {d: _some(rng, labels, d) for d in estimator.domains_}
    present = {d: rows for d, rows in where.items() if len(rows)}
    if len(present) < 2:
        raise DomainError(
            f"X must hold rows of at least 2 of the domains {list(estimator.domains_)}; "
            f"got {list(present)}."
        )
    given = {d: _take(X, rows) for d, rows in present.items()}
    known, kept = estimator.covariates_, {}
    if known is not None:
        frame = known.frame(covariates, len(y))
        kept = {d: _take(frame, rows) for d, rows in present.items()}
    linked = {
        d: rest_of(known, y[rows], np.full(len(rows), list(where).index(d)), kept.get(d))[0]
        for d, rows in present.items()
    }
    found = {} if others is None else _beside(others, X, present)
    return Case(estimator, given, linked, seed, invariants, planted, kept, found)


def _some(rng: np.random.Generator, labels: list, d: Hashable) -> np.ndarray:
    rows = np.array([i for i, label in enumerate(labels) if label == d], int)
    return np.sort(rng.permutation(rows)[:ROWS])


def _beside(
    beside: Any, X: Any, present: Mapping[Hashable, np.ndarray]
) -> dict[Hashable, tuple[np.ndarray, Any]]:
    """Of all rows, one for each of X; or of some, found by the index that they share with X."""
    if len(beside) == len(X):
        return {d: (np.ones(len(r), bool), _take(beside, r)) for d, r in present.items()}
    names = {d: X.index[rows] for d, rows in present.items()}
    known = {d: where.isin(beside.index) for d, where in names.items()}
    return {d: (known[d], beside.loc[where[known[d]]]) for d, where in names.items()}


def _take(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
