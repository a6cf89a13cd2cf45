"""A model of a table once it is fitted: what it was fitted to, and what there is to say of it."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from jaxtyping import Float

from elsewhere.estimators.base import CounterfactualEstimator, validated
from elsewhere.estimators.carried_columns import NONE, Carried, besides_carried
from elsewhere.estimators.choose_links import Spec
from elsewhere.estimators.columns import Kind, check_finite, check_numeric
from elsewhere.estimators.completed import completed, gap_notes
from elsewhere.estimators.crossing import Crossing, crossing_of
from elsewhere.estimators.frames import of_any_frame
from elsewhere.estimators.kept_covariates import rest_of, whole
from elsewhere.estimators.labels import Codes, codes_of
from elsewhere.estimators.levels import Levels, encoded
from elsewhere.estimators.link_space import LinkSpace, Rows
from elsewhere.estimators.links import Link
from elsewhere.estimators.requested_engine import requested_engine
from elsewhere.fitting import Engine, FitResult, Options, PathPoint
from elsewhere.fitting.in_words import difference_in_words
from elsewhere.gaps import GapModel
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.covariates import Covariates


class FittedTable(CounterfactualEstimator, saved=False):
    """Rows to link space and back, and the fit in words; `DomainCounterfactual` is what is made."""

    of = "tables"
    k: int | Literal["auto"] | None
    mixing: str | Engine
    links: str | Mapping[Any, Spec]
    slope: float
    options: Options | Mapping[str, Any] | None
    result_: FitResult
    space_: LinkSpace
    mixing_: str
    domain_name_: Hashable
    covariates_: "Covariates | None" = None
    gaps_: GapModel | None = None
    missing_text_: tuple[str, ...] = ()
    carried_: Carried = NONE
    looks_at_source = True

    def __getattr__(self, name: str) -> Any:
        """`result_` of a loaded model is built when it is first asked for: rows move without."""
        unread = vars(self).get("unread_") if name == "result_" else None
        if unread is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.result_ = unread.read()
        return self.result_

    @property
    def movers(self) -> Sequence[Mover]:
        """The models whose mean is the answer."""
        unread = None if "result_" in vars(self) else vars(self).get("unread_")
        return self.result_.preferred if unread is None else unread.preferred

    @of_any_frame
    @besides_carried
    def to_link_space(self, X: Kind) -> Rows:
        """y [n, m], where the models of `result_` live: one column for each modelled column.

        NaN where an entry is missing; `complete` fills them.
        """
        self._check_fitted()
        return self.space_.forward(X, self._checked(X))

    @of_any_frame
    @besides_carried
    def complete(
        self, X: Kind, domains: Any, *, covariates: Any = None, zeros: bool = False
    ) -> Kind:
        """X with a draw in place of every missing entry, always the same for the same rows.

        Args:
            X: rows like those fitted.
            domains: one label per row.
            covariates: of the rows, where the fit has kept any.
            zeros: whether zeros that are apart from all amounts are replaced as well.
        """
        y = self.to_link_space(X)
        codes = self._codes("domains", domains, len(y))
        rest, z = rest_of(self.covariates_, y, codes, covariates)
        drawn = completed(rest, self.gaps_, codes, drawn=True)
        filled = np.where(np.isnan(y), whole(self.covariates_, drawn, z, codes), y)
        stay = ~np.isnan(y) if zeros else ~np.isnan(y) | self.space_.zeros(self._checked(X))
        return self.space_.inverse(filled, X, stay)

    def from_link_space(self, y: Rows, like: Kind) -> Kind:
        """x of the rows y, of the kind and types of `like`, whose other columns are kept."""
        return self.space_.inverse(y, like)

    @property
    def links_(self) -> dict[Hashable, Link]:
        """The link of each modelled column, by name."""
        return dict(zip(self.space_.columns.inside, self.space_.links, strict=True))

    @property
    def engine_(self) -> Engine:
        """What fitted the models, with its options; for "auto", the one that was chosen."""
        asked = self.result_.engine
        return asked or requested_engine(self.mixing_, self.slope, self.options)

    @property
    def notes_(self) -> tuple[str, ...]:
        """What there is to say of the fit, in plain words."""
        zeros = [link.zeros for link in self.space_.links]
        about_gaps = gap_notes(self.gaps_, self.space_.columns.inside, self.domains_, zeros)
        kept = () if self.covariates_ is None else self.covariates_.notes
        crossed = () if self.crossing_ is None else self.crossing_.notes
        return (*self.space_.notes, *about_gaps, *kept, *crossed, *self.result_.notes)

    @property
    def difference_(self) -> str:
        """What differs between the domains, in one sentence; empty where k or mixing was asked."""
        return difference_in_words(self.result_)

    @property
    def crossing_(self) -> Crossing | None:
        """The combinations of crossed domains; None where there was one column of labels."""
        return crossing_of(self.domain_name_, self.domains_)

    @property
    def path_(self) -> tuple[PathPoint, ...]:
        """For k="auto", the held-out likelihood for every k."""
        return self.result_.path

    def _checked(
        self, X: Kind, *, reset: bool = False, levels: Levels | None = None
    ) -> Float[np.ndarray, "n p"]:
        """The values of X in float64, if they are rows that this estimator can take."""
        X = encoded(X, self.space_.levels if levels is None else levels)
        check_numeric(X)
        x = validated(self, X, reset=reset)
        check_finite(X, x)
        return x

    def _codes(self, name: str, labels: Any, n: int) -> Codes:
        known = self.crossing_
        read = labels if known is None else known.labels(labels, None, n)
        return codes_of(name, read, n, self.domains_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _repr_html_(self) -> str:
        """What a notebook shows: the fit in words, and before it scikit-learn's diagram."""
        from elsewhere.estimators.in_html import diagram, table_html

        return table_html(self) if hasattr(self, "result_") else diagram(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
