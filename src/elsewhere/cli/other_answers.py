"""Other ways to answer than the fitted model's own: all models' mean, a baseline, no source."""

from typing import Any

from elsewhere.cli.kinds import Question
from elsewhere.cli.labels import UNKNOWN, labels_by_text
from elsewhere.cli.output import remark
from elsewhere.cli.tables import read_known
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.by_baseline import answering_by, never_moved
from elsewhere.estimators.unknown_domain import UnknownDomain


class Consensus(DomainCounterfactual, saved=False):
    """The mean over all equally good models in place of the preferred one's answer."""

    def counterfactual(
        self, X: Any, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Any:
        """The consensus, which leaves gaps as they are."""
        return self.consensus(X, source=source, target=target, covariates=covariates)


def answering(estimator: DomainCounterfactual, asked: Question) -> DomainCounterfactual:
    """What answers the question in the way asked for; the estimator itself if none was named."""
    unknown = asked.source == UNKNOWN and UNKNOWN not in labels_by_text(estimator)
    named = {"--consensus": asked.consensus, "--method": asked.method, "--from unknown": unknown}
    if len(given := [name for name, value in named.items() if value]) > 1:
        raise ValueError(f"{' and '.join(given)} cannot be combined: choose one.")
    if asked.consensus and asked.fill:
        raise ValueError("--consensus leaves gaps as they are: leave --fill out.")
    if asked.pairs and unknown:
        raise ValueError("--pairs and --from unknown cannot be combined: pairs have a source.")
    if unknown:
        return UnknownDomain.of_fitted(estimator)
    if asked.consensus:
        return Consensus.of_fitted(estimator)
    return _by_method(estimator, asked) if asked.method else estimator


def _by_method(estimator: DomainCounterfactual, asked: Question) -> DomainCounterfactual:
    X, labels, given = read_known(estimator, asked.data, asked.source)
    found = answering_by(estimator, str(asked.method), X, labels, **given)
    if still := never_moved(found):
        remark(f"note: {asked.method} leaves {still}: they do not vary in every domain.")
    return found
