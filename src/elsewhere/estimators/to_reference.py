"""A step of a scikit-learn pipeline: every row as if it came from one reference domain."""

from typing import Any, no_type_check

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from elsewhere.estimators.domain_counterfactual import DomainCounterfactual
from elsewhere.estimators.frames import as_pandas, like, of_any_frame
from elsewhere.estimators.labels import check_label, factorised


class ToReference(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """x ↦ x_{d→reference}, d being given with the rows as `sample_domain`.

    `sample_domain` and `covariates` are metadata: with
    `sklearn.set_config(enable_metadata_routing=True)` and
    `ToReference().set_fit_request(sample_domain=True).set_transform_request(sample_domain=True)`
    pipelines, searches and cross-validation hand each step the part that belongs to its rows, so
    that no fold learns from the rows it is judged on.

    Args:
        reference: the domain that rows are moved to; None is the one with most rows.
        estimator: what is fitted; None is `DomainCounterfactual()`.

    Attributes:
        estimator_: the fitted estimator; None where `fit` was given no domains, and so nothing
            can differ.
        reference_: the domain that rows are moved to.
        n_features_in_: the number of columns.
    """

    @no_type_check  # scikit-learn asks that a constructor accepts anything; `fit` judges
    def __init__(self, reference: Any = None, estimator: DomainCounterfactual | None = None):
        self.reference = reference
        self.estimator = estimator

    @of_any_frame
    def fit(
        self, X: Any, y: Any = None, sample_domain: Any = None, covariates: Any = None
    ) -> "ToReference":
        """Fit to rows of several domains; `y` is not used.

        Args:
            X: a table of numbers.
            y: ignored, as in every transformer.
            sample_domain: the domain of every row.
            covariates: what is kept as it is; see `DomainCounterfactual.fit`.
        """
        self._checked(X, reset=True)
        self.estimator_ = self.reference_ = None
        if sample_domain is None:
            return self
        codes, names = factorised("sample_domain", sample_domain, len(X))
        largest = names[int(np.bincount(codes).argmax())]
        self.reference_ = largest if self.reference is None else check_label(self.reference)
        if self.reference_ not in names:
            raise ValueError(
                f"reference must be one of the domains fitted, {names}; got {self.reference_!r}."
            )
        if len(names) > 1:
            model: Any = clone(self.estimator or DomainCounterfactual())
            self.estimator_ = model.fit(X, sample_domain, **_given(covariates))
        return self

    def transform(self, X: Any, sample_domain: Any = None, covariates: Any = None) -> Any:
        """x_{d→reference} of every row, of the kind of X unless `set_output` asks for another.

        Args:
            X: rows like those fitted.
            sample_domain: the domain of every row, or one for all.
            covariates: of every row, where the fit has kept any.
        """
        check_is_fitted(self)
        asked = as_pandas(X)
        moved = self._moved(asked, as_pandas(sample_domain), as_pandas(covariates))
        container = _get_output_config("transform", self)["dense"]
        return like(X, asked, moved) if container == "default" else moved

    def _moved(self, X: Any, sample_domain: Any, covariates: Any) -> Any:
        """The answer as pandas has it, which scikit-learn puts into the container asked for."""
        checked = self._checked(X, reset=False)
        if self.estimator_ is None:
            return X if hasattr(X, "iloc") else checked
        if sample_domain is None:
            raise ValueError(
                "sample_domain must say where each row comes from, since domains differ; got "
                "none. In a pipeline: set_config(enable_metadata_routing=True) and "
                "set_transform_request(sample_domain=True)."
            )
        asked = {"source": sample_domain, "target": self.reference_} | _given(covariates)
        return self.estimator_.counterfactual(X, **asked)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """X as scikit-learn checks it; columns of a DataFrame that hold no numbers are carried."""
        kinds = [getattr(kind, "kind", "O") for kind in getattr(X, "dtypes", [])]
        if set(kinds) - {*"iuf"}:
            return validate_data(self, X, reset=reset, skip_check_array=True)
        return validate_data(self, X, reset=reset, ensure_all_finite="allow-nan")

    def fit_transform(
        self, X: Any, y: Any = None, sample_domain: Any = None, covariates: Any = None
    ) -> Any:
        """The rows fitted, as if all came from the reference."""
        self.fit(X, y, sample_domain, covariates)
        return self.transform(X, sample_domain, covariates)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _given(covariates: Any) -> dict[str, Any]:
    return {} if covariates is None else {"covariates": covariates}
