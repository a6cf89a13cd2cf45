"""The same question answered by a simpler method, in the same columns and links."""

from copy import copy
from typing import Any

import numpy as np

from elsewhere.baselines import available
from elsewhere.estimators.completed import completed
from elsewhere.estimators.domain_counterfactual import DomainCounterfactual
from elsewhere.estimators.kept_covariates import rest_of
from elsewhere.fitting import Candidate, FitResult


def answering_by(
    estimator: DomainCounterfactual, method: str, X: Any, domains: Any, *, covariates: Any = None
) -> DomainCounterfactual:
    """A copy of the estimator whose answers are a baseline's, fitted to these rows in link space.

    What covariates explain, where the fit has kept any, is taken out first and put back after.

    Args:
        estimator: fitted; it gives the columns, their links, the domains and the covariates.
        method: the name of a baseline, such as "combat"; see `elsewhere.baselines`.
        X: rows of every domain.
        domains: one label per row.
        covariates: of the rows, where the fit has kept any.
    """
    known = available()
    if method not in known:
        raise ValueError(f"method must be one of {tuple(known)}; got {method!r}.")
    y = estimator.to_link_space(X)
    codes = estimator._codes("domains", domains, len(y))
    rest, _ = rest_of(estimator.covariates_, y, codes, covariates)
    rest = completed(rest, estimator.gaps_, codes, drawn=True)
    tables = {d: rest[codes == i] for i, d in enumerate(estimator.domains_)}
    if few := [d for d, table in tables.items() if len(table) < 2]:
        raise ValueError(
            f"method {method!r} needs at least 2 rows of every domain of the model; X has fewer of "
            f"{few}. Add rows of these, or ask the model itself."
        )
    found = known[method]().fit(tables)
    none = float("nan")
    candidate = Candidate(found, none, none, f"the baseline {method}")
    other = copy(estimator)
    other.result_ = FitResult((candidate,), None, none, none, 0.0, f"the baseline {method}")
    other.mixing_ = method
    return other


def never_moved(estimator: DomainCounterfactual) -> list[str]:
    """Columns that a baseline leaves as they are, because they do not vary in some domain."""
    moved = getattr(estimator.result_.model, "moved", None)
    names = estimator.space_.columns.inside
    return [] if moved is None else [str(names[i]) for i in np.flatnonzero(~moved)]
