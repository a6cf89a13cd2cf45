"""One page on a model, by its kind: the one place that knows the kinds."""

from functools import singledispatch
from pathlib import Path
from typing import Any

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.report.image_report import write_image_report
from elsewhere.report.table_report import write_table_report


@singledispatch
def write_report(estimator: Any, X: Any, domains: Any, path: str | Path, **options: Any) -> Path:
    """One self-contained HTML page on a fitted estimator and data of its domains.

    Args:
        estimator: fitted; of tables or of images.
        X: rows or images like those fitted.
        domains: one label per row or image.
        path: where to write; the file appears whole or not at all.
        options: `trust` from `trust_report`, made here where it is not given; `command`, how the
            page was made, to be shown; `random_state`, the seed of what is drawn; for tables
            `covariates`, where the fit has kept any.
    """
    known = ", ".join(kind.__name__ for kind in write_report.registry if kind is not object)
    raise TypeError(f"estimator must be one of {known}; got {type(estimator).__name__}.")


write_report.register(DomainCounterfactual, write_table_report)
write_report.register(ImageDomainCounterfactual, write_image_report)
