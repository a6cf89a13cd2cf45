"""Rows of a domain that the model has not seen: an answer from every domain they may be like."""

from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.estimators.carried_columns import besides_carried
from elsewhere.estimators.columns import Kind
from elsewhere.estimators.crossed import of_combinations
from elsewhere.estimators.domain_counterfactual import DomainCounterfactual
from elsewhere.estimators.frames import of_any_frame
from elsewhere.estimators.link_space import Rows


class UnknownDomain(DomainCounterfactual, saved=False):
    """x_{?→d'} = Σ_d p(d | x) x_{d→d'}: the mean over known domains, by how well each explains x.

    Domains are equally likely before the row is seen. What is assumed: the row's own domain is like
    one of those known. `source` is not looked at. Made of a fitted estimator whose model has a
    density: `UnknownDomain.of_fitted(estimator)`.
    """

    looks_at_source = False

    @of_any_frame
    @besides_carried
    def posterior(self, X: Kind, *, covariates: Any = None) -> Float[np.ndarray, "n D"]:
        """p(d | x) ∝ p_d(x), one column per domain of the estimator."""
        from scipy.special import softmax

        logs = [self.log_prob(X, _all(d, len(X)), covariates=covariates) for d in self.domains_]
        return softmax(np.stack(logs, axis=1), axis=1)

    @of_any_frame
    @besides_carried
    @of_combinations
    def interval(
        self,
        X: Kind,
        *,
        source: Any = None,
        target: Any,
        level: float = 0.9,
        covariates: Any = None,
    ) -> tuple[Kind, Kind]:
        """(low, high): the errors of every domain's answer, and how far these differ."""
        from scipy.special import ndtri

        mean, variance = self._moments(X, target, covariates)
        half = float(ndtri((1 + level) / 2)) * np.sqrt(variance)
        return self._back(mean - half, X, False), self._back(mean + half, X, False)

    @of_any_frame
    @besides_carried
    @of_combinations
    def spread(
        self, X: Kind, *, source: Any = None, target: Any, covariates: Any = None
    ) -> tuple[Kind, Kind]:
        """(lowest, highest) answer over all known domains, however unlikely."""
        every = np.stack([mean for mean, _ in self._answers(X, target, covariates)])
        return self._back(every.min(axis=0), X, False), self._back(every.max(axis=0), X, False)

    def _counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Kind:
        """The mean answer, taken in link space, so that it stays within each column's range."""
        return self._back(self._moments(X, target, covariates)[0], X, fill)

    def _moments(self, X: Kind, target: Any, covariates: Any) -> tuple[Rows, Rows]:
        weights = self.posterior(X, covariates=covariates).T[:, :, None]
        means, errors = map(np.stack, zip(*self._answers(X, target, covariates), strict=True))
        mean = (weights * means).sum(axis=0)
        return mean, (weights * (errors**2 + (means - mean) ** 2)).sum(axis=0)

    def _answers(self, X: Kind, target: Any, covariates: Any) -> list[tuple[Rows, Rows]]:
        """The answer and its standard error from every known domain, in link space."""
        asked = [self._asked(X, _all(d, len(X)), target, covariates) for d in self.domains_]
        sure = self.result_.knows_uncertainty is not None
        return [
            (
                self._answer(one),
                self._standard_errors(one) if sure else np.zeros_like(one.y),
            )
            for one in asked
        ]

    def _back(self, y: Rows, X: Kind, fill: bool) -> Kind:
        missing = np.isnan(self.to_link_space(X))
        stays = self.space_.zeros(self._checked(X)) if fill else missing
        return self.space_.inverse(y, X, stays)


def _all(d: Any, n: int) -> np.ndarray:
    labels = np.empty(n, object)
    labels[:] = [d] * n
    return labels
