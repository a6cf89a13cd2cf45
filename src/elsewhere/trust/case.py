"""What is judged: a fitted estimator and rows of its domains, in link space."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.errors import DomainError
from elsewhere.estimators import DomainCounterfactual, in_blocks
from elsewhere.fitting.moments import AffineMap
from elsewhere.model import ILD
from elsewhere.queries import Mover

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
        linked: the same rows in link space.
        seed: of all that is drawn.
        invariants: what must not change between domains, if anything was named.
        planted: whether to fit again to data simulated from the model.
    """

    estimator: DomainCounterfactual
    given: dict[Hashable, Any]
    linked: dict[Hashable, Rows]
    seed: int
    invariants: Any = None
    planted: bool = True

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
        """y_{d→d'} of all rows: the answer that the estimator gives."""
        models = self.estimator.result_.preferred
        return {pair: np.mean([self._by(m, pair) for m in models], axis=0) for pair in self.pairs}

    @cached_property
    def carried(self) -> dict[Pair, Rows]:
        """The same with all of a row moving along, so that the rows vary as those of d' do."""
        model = self.model
        if not isinstance(model, AffineMap) or model.carried == 1:
            return self.moved
        whole = replace(model, carried=1.0)
        return {pair: self._by(whole, pair) for pair in self.pairs}

    @cached_property
    def noise(self) -> dict[Hashable, Rows]:
        """ε of all rows in their own domain; of a model that has any."""
        return {d: in_blocks.noise(self.model, rows, d) for d, rows in self.linked.items()}

    def _by(self, model: Mover, pair: Pair) -> Rows:
        d, e = pair
        if model is self.model and isinstance(model, ILD):  # the noise is found once for all e
            return in_blocks.made(model, self.noise[d], e)
        return in_blocks.move(model, self.linked[d], d, e)

    def rng(self, stream: int) -> np.random.Generator:
        """Draws that depend on the seed and on what they are for."""
        return np.random.default_rng([self.seed, stream])

    def moves(self) -> Iterator[tuple[Pair, Rows]]:
        """The change of every row, in within-domain deviations of link space, by pair."""
        for pair, rows in self.moved.items():
            yield pair, (rows - self.linked[pair[0]]) / self.unit


def make_case(
    estimator: DomainCounterfactual,
    X: Any,
    domains: Any,
    seed: int,
    *,
    invariants: Any = None,
    planted: bool = True,
) -> Case:
    """The rows of X by domain, some of them drawn where there are many; missing entries drawn."""
    linked = estimator.to_link_space(X)
    labels = list(domains)
    if len(labels) != len(linked):
        raise ValueError(
            f"domains must have one label per row: X has {len(linked)} rows; got {len(labels)}."
        )
    if np.isnan(linked).any():
        X = estimator.complete(X, domains)
        linked = estimator.to_link_space(X)
    rng = np.random.default_rng([seed, 0])
    where = {d: _some(rng, labels, d) for d in estimator.domains_}
    present = {d: rows for d, rows in where.items() if len(rows)}
    if len(present) < 2:
        raise DomainError(
            f"X must hold rows of at least 2 of the domains {list(estimator.domains_)}; "
            f"got {list(present)}."
        )
    given = {d: _take(X, rows) for d, rows in present.items()}
    rows = {d: linked[rows] for d, rows in present.items()}
    return Case(estimator, given, rows, seed, invariants, planted)


def _some(rng: np.random.Generator, labels: list, d: Hashable) -> np.ndarray:
    rows = np.array([i for i, label in enumerate(labels) if label == d], int)
    return np.sort(rng.permutation(rows)[:ROWS])


def _take(X: Any, rows: np.ndarray) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
