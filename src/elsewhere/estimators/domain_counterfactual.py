"""The estimator that most people import: a table and its domains in, counterfactuals out."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, no_type_check

import numpy as np
from jaxtyping import Float

from elsewhere.draws import words_of
from elsewhere.errors import AssumptionError
from elsewhere.estimators import in_blocks
from elsewhere.estimators.base import CounterfactualEstimator, Header, RandomState, seed_from
from elsewhere.estimators.choose_links import Spec
from elsewhere.estimators.columns import Kind, check_finite, check_numeric
from elsewhere.estimators.completed import Completed, completed, gap_notes
from elsewhere.estimators.fit_tables import fit_tables, mixing_of, requested_engine
from elsewhere.estimators.frames import as_pandas, of_any_frame
from elsewhere.estimators.kept import (
    carrying_all,
    check_no_pairs,
    fitted_covariates,
    moving,
    put_in,
    rest_of,
    rows_to_learn_on,
    taken,
    whole,
)
from elsewhere.estimators.labels import Codes, check_label, codes_of, factorised, ordered
from elsewhere.estimators.levels import Levels, asked_levels, encoded
from elsewhere.estimators.link_space import LinkSpace, Rows, check_answers, link_space
from elsewhere.estimators.links import Link
from elsewhere.estimators.pairs import linked_pairs
from elsewhere.estimators.table_file import describe, restore
from elsewhere.fitting import Engine, Options, PathPoint, Progress
from elsewhere.fitting.in_words import difference_in_words
from elsewhere.gaps import GapModel, fit_gaps
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.covariates import Covariates
    from elsewhere.estimators.arrow_mover import ArrowMover


class DomainCounterfactual(CounterfactualEstimator):
    """x_{d→d'} = g∘f_d'∘f_d⁻¹∘g⁻¹(x) for the rows of a table, fitted to unpaired domains.

    Args:
        k: how many mechanisms may differ between domains; "auto" finds it, None is Dense.
        mixing: "linear", "leaky", "real_nvp" or "spline"; "auto" is linear, unless held-out rows
            prefer leaky. Or the name of any other engine of `elsewhere.fitting`, or an `Engine`.
        links: "auto", "identity", "positive", "bounded" or "integer" for all columns, or a mapping
            from columns to one of these, to ("bounded", low, high), or to "levels" or ("levels",
            lowest, …, highest) for ordered levels of any type; the others are "auto".
        slope: of the leaky mixing where its latent is negative.
        options: how hard to search, as `elsewhere.fitting.Options`; or a mapping of the engine's
            own options, which `python -m elsewhere.fitting` lists.
        random_state: a seed, a NumPy RandomState, or None for a fresh one.
        sums: sums that hold in every row, as {"total": ["a", "b"]}: the total is not modelled, and
            in every answer it is the sum of its parts.

    Attributes:
        domains_: the labels, sorted; in order of appearance where they cannot be compared.
        result_: the `FitResult` on link space: every equally good model, preferred first.
        space_: the columns of the table fitted and their links; link space is what these map to.
        links_: the `Link` of each modelled column, by name.
        gaps_: what rows tell of their missing entries; None for a model saved without it.
        missing_text_: text that means a missing value in files, beside what usually does.
        mixing_: the mixing used.
        notes_: what there is to say of the fit, in plain words.
        difference_: what differs between the domains, in one sentence.
        covariates_: what the covariates explain in every domain; None where there were none.
        path_: for k="auto", the likelihood for every k.
        domain_name_: the name of `domains`, where it was a named Series.
        n_features_in_: the number of columns.
        feature_names_in_: their names, where X was a DataFrame with text names.
    """

    of = "tables"
    covariates_: "Covariates | None" = None
    gaps_: GapModel | None = None
    missing_text_: tuple[str, ...] = ()

    @no_type_check  # scikit-learn asks that a constructor accepts anything; `fit` judges
    def __init__(
        self,
        k: int | Literal["auto"] | None = "auto",
        mixing: str | Engine = "auto",
        links: str | Mapping[Any, Spec] = "auto",
        slope: float = 0.5,
        options: Options | Mapping[str, Any] | None = None,
        random_state: RandomState = 0,
        sums: Mapping[Any, Sequence[Any]] | None = None,
    ):
        self.k: int | Literal["auto"] | None = k
        self.mixing = mixing
        self.links = links
        self.slope = slope
        self.options = options
        self.random_state = random_state
        self.sums = sums

    @classmethod
    def of_fitted(cls, estimator: "DomainCounterfactual") -> "DomainCounterfactual":
        """What was fitted, asked in the way of this class."""
        other = cls.__new__(cls)
        vars(other).update(vars(estimator))
        return other

    @of_any_frame
    def fit(
        self,
        X: Kind,
        domains: Any,
        *,
        covariates: Any = None,
        learn_on: Any = None,
        carried: float = 1.0,
        pairs: Any = None,
        progress: Progress | None = None,
    ) -> "DomainCounterfactual":
        """Fit to the rows of X [n, p], `domains` giving each one's domain.

        Args:
            X: a table of numbers: an array, a pandas or polars DataFrame, or an Arrow table.
                Columns that never vary are carried through unchanged. NaN is a missing value: the
                row's other entries take part.
            domains: one label per row, of any kind; at least two different ones.
            covariates: what is kept as it is, such as age and diagnosis: numbers and categories,
                one row per row of X. What they explain is not taken for a difference of domains.
            learn_on: which rows to learn from: one truth value per row, or a function of the
                covariates (of X where there are none) that gives them. Default: all.
            carried: the share of what covariates do not explain that moves along with a row; the
                rest is taken for noise of the measurement.
            pairs: rows seen in two domains, as `elsewhere.fitting.Pairs` or tuples (source,
                target, X_source, X_target): one, or a list.
            progress: called with the fraction done and a line of text.
        """
        engine = requested_engine(self.mixing, self.slope, self.options)
        engine = engine if covariates is None else carrying_all(engine)
        check_no_pairs(covariates, pairs)
        space, x, codes, names = self._planned(X, domains)
        learnt = rows_to_learn_on(learn_on, X, covariates, codes, names)
        y, codes, kept = space.forward(X, x)[learnt], codes[learnt], taken(covariates, learnt)
        gaps = fit_gaps([y[codes == i] for i in range(len(names))])
        y = gaps.filled(y, codes)
        self.domain_name_: Hashable = getattr(domains, "name", None)
        self.covariates_ = fitted_covariates(
            kept, y, codes, domain=self.domain_name_, columns=space.columns.inside, carried=carried
        )
        rest, _ = rest_of(self.covariates_, y, codes, kept)
        tables = {d: rest[codes == i] for i, d in enumerate(names)}

        def linked(rows: Kind, d: Hashable) -> Rows:
            rows = as_pandas(rows)
            found = space.forward(rows, self._checked(rows, levels=space.levels))
            return completed(found, gaps, codes_of("pairs", d, len(found), names))

        joined = linked_pairs(pairs, linked)
        seed = seed_from(self.random_state)
        with space.naming_columns():
            self.result_ = fit_tables(words_of(seed), tables, self.k, engine, joined, progress)
        self.mixing_ = mixing_of(self.result_, self.mixing)
        self.space_, self.gaps_, self.domains_ = space, gaps, names
        return self

    @of_any_frame
    def plan(self, X: Kind, domains: Any) -> LinkSpace:
        """The columns that a fit would model, and how; nothing is fitted."""
        from sklearn.base import clone

        fresh: Any = clone(self)
        return fresh._planned(X, domains)[0]

    @of_any_frame
    def add_domain(
        self, X: Kind, domain: Hashable, *, covariates: Any = None
    ) -> "DomainCounterfactual":
        """Fit only the mechanisms that differ for one more domain; earlier answers stay the same.

        Args:
            X: its rows.
            domain: its label, which becomes the last of `domains_`.
            covariates: of its rows, where the fit has kept any; they do what they do in all
                domains together.
        """
        from elsewhere.fitting.refine import add_domain

        label, y = check_label(domain), self.to_link_space(X)
        codes = np.full(len(y), len(self.domains_))
        gaps = self.gaps_ and self.gaps_.with_domain(y)
        y = completed(y, gaps, codes, drawn=True)
        known = None if self.covariates_ is None else self.covariates_.with_domain(covariates, y)
        rest, _ = rest_of(known, y, codes, covariates)
        self.result_ = add_domain(self.result_, label, rest)
        self.covariates_, self.gaps_ = known, gaps
        self.domains_ = (*self.domains_, label)
        return self

    @of_any_frame
    def counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Any:
        """x_{d→d'} of every row, of the kind of X; where d' = d it stays as it is.

        Args:
            X: rows like those fitted.
            source: the domain they come from: one label, or one per row.
            target: the domain to move them to, likewise; "all" gives a dictionary with an answer
                for every domain.
            covariates: of the rows, where the fit has kept any.
            fill: whether entries that are missing are filled with what is expected of them in the
                target; else they stay missing.
        """
        return super().counterfactual(X, source, target, covariates=covariates, fill=fill)

    def mover(
        self, target: Hashable, source: Hashable | None = None, *, fill: bool = False
    ) -> "ArrowMover":
        """A pure function from Arrow RecordBatch to RecordBatch, for engines that run one anywhere.

        Args:
            target: the domain to move all rows to.
            source: the domain that they come from; None where the column of domains says it.
            fill: whether missing entries are filled.
        """
        from elsewhere.estimators.arrow_mover import ArrowMover

        self._check_fitted()
        return ArrowMover(self, target, source, fill)

    @of_any_frame
    def candidates(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> Float[np.ndarray, "c n p"]:
        """x_{d→d'} under every equally good model, the preferred one first."""
        asked = self._asked(X, source, target)
        return np.stack([np.asarray(asked.back(y)) for y in self._moved(asked, covariates)])

    @of_any_frame
    def consensus(self, X: Kind, *, source: Any, target: Any, covariates: Any = None) -> Kind:
        """The mean of the candidates in link space, so that it stays within each column's range."""
        asked = self._asked(X, source, target)
        return asked.back(np.mean(self._moved(asked, covariates), axis=0))

    @of_any_frame
    def spread(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> tuple[Kind, Kind]:
        """(lowest, highest) x_{d→d'} over the candidates, by row and column, of the kind of X."""
        asked = self._asked(X, source, target)
        moved = self._moved(asked, covariates)
        return asked.back(np.min(moved, axis=0)), asked.back(np.max(moved, axis=0))

    @of_any_frame
    def interval(
        self,
        X: Kind,
        *,
        source: Any,
        target: Any,
        level: float = 0.9,
        covariates: Any = None,
        pairs: Any = None,
    ) -> tuple[Kind, Kind]:
        """(low, high) of x_{d→d'}, by row and column: where it lies with probability `level`.

        What is not known of the parameters, of the explanation and of the order of mechanisms goes
        into it. What the other domain's own measurement noise would add does not: no unpaired row
        tells how large that is. Pairs do: with them, the interval is conformal, and holds what is
        measured in the other domain with at least that probability, whatever the model is worth.

        Args:
            X: rows like those fitted.
            source: the domain they come from: one label, or one per row.
            target: the domain to move them to, likewise.
            level: in 0..1.
            covariates: of the rows, where the fit has kept any.
            pairs: rows seen in both domains, as for `fit`, which the fit has not seen; at least 9
                for level 0.9, 19 for 0.95.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be in 0..1; got {level}.")
        if pairs is not None:
            return self._calibrated(X, source, target, level, pairs)
        if self.result_.knows_uncertainty is None:
            raise AssumptionError(
                f"a fit with mixing {self.mixing_!r} does not know how far it may be off. Fit with "
                "mixing 'auto' or 'moments', look at the spread, or calibrate with pairs."
            )
        from scipy.special import ndtri

        asked = self._asked(X, source, target)
        moved = self._moved(asked, covariates)
        error = float(ndtri((1 + level) / 2)) * self._standard_errors(asked, covariates)
        return asked.back(np.min(moved, axis=0) - error), asked.back(np.max(moved, axis=0) + error)

    def _calibrated(
        self, X: Kind, source: Any, target: Any, level: float, pairs: Any
    ) -> tuple[Kind, Kind]:
        if self.covariates_ is not None:
            raise ValueError(
                "pairs cannot calibrate the intervals of a fit that keeps covariates, for a pair "
                "has none of its own. Leave pairs out, or fit without covariates."
            )
        from elsewhere.estimators.calibrated import half_widths

        asked = self._asked(X, source, target)
        moved = np.mean(self._moved(asked, None, self.result_.preferred), axis=0)
        half = half_widths(self.result_, linked_pairs(pairs, self._linked), asked, level)
        return asked.back(moved - half), asked.back(moved + half)

    def _linked(self, X: Kind, d: Hashable) -> Rows:
        """Rows of one domain in link space, whole."""
        y = self.to_link_space(X)
        return completed(y, self.gaps_, self._codes("pairs", d, len(y)))

    @of_any_frame
    def plot(
        self,
        X: Kind,
        domains: Any,
        *,
        column: Hashable,
        target: Hashable,
        covariates: Any = None,
        ax: Any = None,
    ) -> Any:
        """Boxes of one column by domain, before and after a move to `target`: matplotlib axes.

        Args:
            X: rows like those fitted.
            domains: one label per row.
            column: the column to draw, one that is modelled and holds numbers.
            target: the domain to move all rows to.
            covariates: of the rows, where the fit has kept any.
            ax: axes to draw on; None makes new ones.
        """
        from elsewhere.estimators.pictures import plot_column

        return plot_column(self, X, domains, column, target, ax, covariates=covariates)

    @of_any_frame
    def log_prob(self, X: Kind, domains: Any, *, covariates: Any = None) -> Float[np.ndarray, " n"]:
        """log p_d(x) of every row in the units of X: that of link space plus Σ log ∂y_j/∂x_j.

        Of a row with missing entries, that of those which are there.
        """
        values = self._by_domain(X, domains, in_blocks.log_density, covariates)
        y, known = self.to_link_space(X), self.covariates_
        codes = self._codes("domains", domains, len(y))
        if known is not None:
            values = values - known.log_volume(known.z(covariates, len(y)), codes)
        if self.gaps_ is not None:
            values = values - self.gaps_.log_left_open(y, codes)
        return check_answers(values + self.space_.log_slope(self._checked(X)))

    @of_any_frame
    def abduct(self, X: Kind, domains: Any, *, covariates: Any = None) -> Rows:
        """ε = f_d⁻¹(g⁻¹(y)): the noise behind every row, one column for each modelled column."""
        return check_answers(self._by_domain(X, domains, in_blocks.noise, covariates))

    @of_any_frame
    def to_link_space(self, X: Kind) -> Rows:
        """y [n, m], where the models of `result_` live: one column for each modelled column.

        NaN where an entry is missing; `complete` fills them.
        """
        self._check_fitted()
        return self.space_.forward(X, self._checked(X))

    @of_any_frame
    def complete(self, X: Kind, domains: Any) -> Kind:
        """X with a draw in place of every missing entry, always the same for the same rows."""
        y = self.to_link_space(X)
        filled = completed(y, self.gaps_, self._codes("domains", domains, len(y)), drawn=True)
        return self.space_.inverse(filled, X, ~np.isnan(y))

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
        about_gaps = gap_notes(self.gaps_, self.space_.columns.inside, self.domains_)
        kept = () if self.covariates_ is None else self.covariates_.notes
        return (*self.space_.notes, *about_gaps, *kept, *self.result_.notes)

    @property
    def difference_(self) -> str:
        """What differs between the domains, in one sentence; empty where k or mixing was asked."""
        return difference_in_words(self.result_)

    @property
    def path_(self) -> tuple[PathPoint, ...]:
        """For k="auto", the held-out likelihood for every k."""
        return self.result_.path

    def _planned(
        self, X: Kind, domains: Any
    ) -> tuple[LinkSpace, Float[np.ndarray, "n p"], Codes, tuple[Hashable, ...]]:
        """(links, values, the domain of each row, the domains' names)."""
        levels = asked_levels(X, self.links)
        x = self._checked(X, reset=True, levels=levels)
        names = ordered(factorised("domains", domains, len(x))[1])
        codes = codes_of("domains", domains, len(x), names)
        space = link_space(encoded(X, levels), x, codes, self.links, levels, self.sums)
        return space, x, codes, names

    def _checked(
        self, X: Kind, *, reset: bool = False, levels: Levels | None = None
    ) -> Float[np.ndarray, "n p"]:
        """The values of X in float64, if they are rows that this estimator can take."""
        from sklearn.utils.validation import validate_data

        X = encoded(X, self.space_.levels if levels is None else levels)
        check_numeric(X)
        x: Any = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        check_finite(X, x)
        return x

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

    def _counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Kind:
        """The mean, in link space, of the answers of all models that the principle ties."""
        asked = self._asked(X, source, target, fill=fill)
        moved = self._moved(asked, covariates, self.result_.preferred)
        return asked.back(np.mean(moved, axis=0))

    def _asked(self, X: Kind, source: Any, target: Any, *, fill: bool = False) -> Completed:
        y = self.to_link_space(X)
        d = self._codes("source", source, len(y))
        d_prime = self._codes("target", target, len(y))
        return Completed(self.space_, self.gaps_, X, y, d, d_prime, fill)

    def _moved(
        self, asked: Completed, covariates: Any, models: Sequence[Mover] | None = None
    ) -> list[Rows]:
        """The answers in link space, one for each model."""
        chosen = models or [c.model for c in self.result_.candidates]
        return [self._moved_by(model, asked.whole, asked, covariates) for model in chosen]

    def _moved_by(self, model: Mover, y: Rows, asked: Completed, covariates: Any) -> Rows:
        """y' of rows in the place of those asked about."""
        known, d, d_prime = self.covariates_, asked.d, asked.d_prime
        rest, z = rest_of(known, y, d, covariates)
        moved = in_blocks.move_by_row(model, moving(known, rest, d), d, d_prime)
        return put_in(known, y, (rest, moved), z, (d, d_prime))

    def _standard_errors(self, asked: Completed, covariates: Any) -> Rows:
        """Of the answers in link space, with what covariates and missing entries leave open."""
        known, best, where = self.covariates_, self.result_.model, (asked.d, asked.d_prime)
        rest, z = rest_of(known, asked.whole, asked.d, covariates)
        errors = in_blocks.by_pair(self.result_.uncertainty, rest, *where, self.domains_)
        if known is not None and z is not None:
            errors = known.errors(errors, rest, z, *where)
        return asked.less_sure(errors, lambda y: self._moved_by(best, y, asked, covariates))

    def _by_domain(
        self, X: Kind, domains: Any, question: in_blocks.Question, covariates: Any
    ) -> np.ndarray:
        y = self.to_link_space(X)
        codes = self._codes("domains", domains, len(y))
        rest, _ = rest_of(self.covariates_, completed(y, self.gaps_, codes), codes, covariates)
        return in_blocks.by_domain(self.result_.model, rest, codes, question)

    def _codes(self, name: str, labels: Any, n: int) -> Codes:
        return codes_of(name, labels, n, self.domains_)

    def _noise_dimension(self) -> int:
        return in_blocks.with_density(self.result_.model).m

    def _made(self, eps: Rows, code: int, covariates: Any = None) -> Kind:
        made, known = in_blocks.made(self.result_.model, eps, self.domains_[code]), self.covariates_
        z = None if known is None else known.z(covariates, len(eps))
        y = whole(known, made, z, np.full(len(eps), code))
        return self.space_.inverse(y, self.space_.columns.blank(len(eps)))

    def _describe(self) -> tuple[Header, list[np.ndarray]]:
        return describe(self)

    @classmethod
    def _restore(
        cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return restore(header, arrays)
