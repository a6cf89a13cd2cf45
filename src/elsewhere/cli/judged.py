"""What `evaluate` and `report` look at: a model, data of its domains, and how far to trust it."""

from typing import TYPE_CHECKING, Any

from elsewhere.cli.options import words

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
    from elsewhere.trust import Trust
    from elsewhere.trust.images import ImageTrust


def judged_table(
    estimator: "DomainCounterfactual",
    data: str,
    source: str | None,
    invariants: str,
    planted: bool,
) -> "tuple[Any, Any, Trust]":
    """(rows, their domains, every check)."""
    from elsewhere.cli.tables import read_known
    from elsewhere.trust import trust_report

    X, labels = read_known(estimator, data, source)
    fixed = words(invariants) or None
    return X, labels, trust_report(estimator, X, labels, invariants=fixed, planted=planted)


def judged_images(
    estimator: "ImageDomainCounterfactual", data: str, source: str | None, invariants: str
) -> "tuple[Any, list[str], ImageTrust]":
    """(images, their domains, every check)."""
    from elsewhere.cli.image_folders import asked_files, read_asked
    from elsewhere.trust.images import image_trust

    if invariants:
        raise ValueError("--invariants is for tables, and the model is one of images.")
    asked = asked_files(data, source, estimator.domains_)
    images, labels = read_asked(asked, estimator), [one.domain for one in asked]
    return images, labels, image_trust(estimator, images, labels)
