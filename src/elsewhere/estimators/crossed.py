"""Crossed domains: their engine, and questions about combinations that were never seen."""

import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from elsewhere.errors import DomainError
from elsewhere.estimators.crossing import is_crossed
from elsewhere.estimators.labels import EVERY
from elsewhere.fitting import Crossed, Engine, FitResult, Moments
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.combinations import Combinations
from elsewhere.fitting.moments.unseen import with_combination

Method = TypeVar("Method", bound=Callable[..., Any])


def crossed_engine(engine: Engine, domains: Any) -> Engine:
    """The engine for these labels: `Crossed` in the place of `Auto` and `Moments`."""
    if not is_crossed(domains) or isinstance(engine, Crossed):
        return engine
    if not isinstance(engine, Auto | Moments):
        raise ValueError(
            "several columns of domains need mixing 'auto', 'moments' or 'crossed'; got the engine "
            f"{type(engine).__name__}. Join the columns into one label, or change the mixing."
        )
    return Crossed(engine.carried)


def of_combinations(method: Method) -> Method:
    """A question from source to target, about combinations that were never seen as well."""
    signature = inspect.signature(method)

    @wraps(method)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        crossing = self.crossing_ if hasattr(self, "domains_") else None
        if crossing is None:
            return method(self, *given, **named)
        bound = signature.bind(self, *given, **named).arguments
        bound.pop("self")
        n = len(bound["X"])
        source = bound.get("source")
        source = crossing.labels(source, None, n) if self.looks_at_source else source
        target = bound["target"]
        if not (isinstance(target, str) and target == EVERY):
            target = crossing.labels(target, source, n)
        asked_from = _different(source) if self.looks_at_source else []
        knowing = with_combinations(self, [*asked_from, *_different(target)])
        return method(knowing, **(bound | {"source": source, "target": target}))

    return asked  # type: ignore[return-value]


def with_combinations(estimator: Any, labels: Sequence[Hashable]) -> Any:
    """The estimator with combinations it has never seen, as its last domains.

    Args:
        estimator: of crossed domains.
        labels: some combinations of known levels; those that it knows are passed over.
    """
    crossing, found = estimator.crossing_, estimator
    for label in dict.fromkeys(labels):
        if label not in found.domains_ and label != EVERY:
            crossing.check(label)
            found = _with_one(found, crossing.seen, label)
    return found


def _with_one(estimator: Any, seen: Combinations, label: Hashable) -> Any:
    from elsewhere.covariates.unseen import covariates_of_combination

    weights = np.r_[seen.weights(label), np.zeros(len(estimator.domains_) - len(seen.labels))]
    found = type(estimator).of_fitted(estimator)
    found.result_ = _result(estimator.result_, label, seen)
    gaps, kept = estimator.gaps_, estimator.covariates_
    found.gaps_ = None if gaps is None else gaps.with_combination(weights)
    found.covariates_ = None if kept is None else covariates_of_combination(kept, weights)
    found.domains_ = (*estimator.domains_, label)
    return found


def _result(result: FitResult, label: Hashable, seen: Combinations) -> FitResult:
    def extended(model: Any) -> Any:
        if hasattr(model, "base"):
            return replace(model, base=extended(model.base))
        if not isinstance(model, AffineMap):
            raise DomainError(
                f"{label!r} was never seen, and a baseline has no answer for it; the domains are "
                f"{list(seen.labels)}. Ask the fitted model itself."
            )
        return with_combination(model, label, seen)

    candidates = tuple(replace(c, model=extended(c.model)) for c in result.candidates)
    return replace(result, candidates=candidates)


def _different(labels: Any) -> list[Hashable]:
    return list(dict.fromkeys(labels)) if isinstance(labels, np.ndarray) else [labels]
