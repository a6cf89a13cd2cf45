"""Covariates that stay: what they explain is no difference of domains, and is never moved."""

from typing import TYPE_CHECKING

from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.covariates.file import Covariates
    from elsewhere.covariates.fit import fit_covariates

__getattr__ = lazily(__name__, {"Covariates": "file", "fit_covariates": "fit"})

__all__ = ["Covariates", "fit_covariates"]
