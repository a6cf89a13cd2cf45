"""How far to trust a model, by its kind: the one place that knows the kinds."""

from functools import singledispatch
from typing import Any

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.images import image_trust
from elsewhere.trust.tables import table_trust


@singledispatch
def trust_report(estimator: Any, X: Any, domains: Any, **options: Any) -> AbstractTrust:
    """Every check of a fitted estimator on data of its domains.

    Args:
        estimator: fitted; of tables or of images.
        X: rows or images like those fitted; those themselves will do.
        domains: one label per row or image.
        options: random_state, and for tables `invariants`, `planted`, `covariates` and
            `beside`: see `table_trust` and `image_trust`.
    """
    known = ", ".join(kind.__name__ for kind in trust_report.registry if kind is not object)
    raise TypeError(f"estimator must be one of {known}; got {type(estimator).__name__}.")


trust_report.register(DomainCounterfactual, table_trust)
trust_report.register(ImageDomainCounterfactual, image_trust)
