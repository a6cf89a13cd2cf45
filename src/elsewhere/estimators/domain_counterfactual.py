"""The estimator that most people import: a table and its domains in, counterfactuals out."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, no_type_check

import jax
import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import norm
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from elsewhere.covariates import Covariates, fit_covariates
from elsewhere.errors import AssumptionError
from elsewhere.estimators import in_blocks
from elsewhere.estimators.base import CounterfactualEstimator, Header, RandomState
from elsewhere.estimators.choose_links import Spec
from elsewhere.estimators.columns import Kind, check_finite, check_numeric
from elsewhere.estimators.fit_tables import fit_tables, mixing_of, requested_engine
from elsewhere.estimators.kept import (
    carrying_all,
    check_no_pairs,
    moving,
    put_in,
    rest_of,
    rows_to_learn_on,
    taken,
    whole,
)
from elsewhere.estimators.labels import Codes, check_label, codes_of, factorised, ordered
from elsewhere.estimators.link_space import Rows, check_answers, link_space
from elsewhere.estimators.links import Link
from elsewhere.estimators.pairs import linked_pairs
from elsewhere.estimators.table_file import describe, restore
from elsewhere.fitting import Engine, Options, PathPoint, Progress
from elsewhere.fitting.in_words import difference_in_words
from elsewhere.fitting.refine.add_domain import add_domain
from elsewhere.queries import Mover


class DomainCounterfactual(CounterfactualEstimator):
    """x_{d→d'} = g∘f_d'∘f_d⁻¹∘g⁻¹(x) for the rows of a table, fitted to unpaired domains.

    Args:
        k: how many mechanisms may differ between domains; "auto" finds it, None is Dense.
        mixing: "linear", "leaky", "real_nvp" or "spline"; "auto" is linear, unless held-out rows
            prefer leaky. Or the name of any other engine of `elsewhere.fitting`, or an `Engine`.
        links: "auto", "identity", "positive", "bounded" or "integer" for all columns, or a mapping
            from columns to one of these or to ("bounded", low, high); the others are "auto".
        slope: of the leaky mixing where its latent is negative.
        options: how hard to search, as `elsewhere.fitting.Options`; or a mapping of the engine's
            own options, which `python -m elsewhere.fitting` lists.
        random_state: a seed, a NumPy RandomState, or None for a fresh one.

    Attributes:
        domains_: the labels, sorted; in order of appearance where they cannot be compared.
        result_: the `FitResult` on link space: every equally good model, preferred first.
        space_: the columns of the table fitted and their links; link space is what these map to.
        links_: the `Link` of each modelled column, by name.
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

    @no_type_check  # scikit-learn asks that a constructor accepts anything; `fit` judges
    def __init__(
        self,
        k: int | Literal["auto"] | None = "auto",
        mixing: str | Engine = "auto",
        links: str | Mapping[Any, Spec] = "auto",
        slope: float = 0.5,
        options: Options | Mapping[str, Any] | None = None,
        random_state: RandomState = 0,
    ):
        self.k = k
        self.mixing = mixing
        self.links = links
        self.slope = slope
        self.options = options
        self.random_state = random_state

    covariates_: Covariates | None = None

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
            X: a table of numbers, an array or a DataFrame. Columns that never vary are carried
                through unchanged.
            domains: one label a row, of any kind; at least two different ones.
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
        x = self._checked(X, reset=True)
        names = ordered(factorised("domains", domains, len(x))[1])
        codes = codes_of("domains", domains, len(x), names)
        space = link_space(X, x, codes, self.links)
        learnt = rows_to_learn_on(learn_on, X, covariates, codes, names)
        check_no_pairs(covariates, pairs)
        self.domain_name_: Hashable = getattr(domains, "name", None)
        y, codes, kept = space.forward(X, x)[learnt], codes[learnt], taken(covariates, learnt)
        self.covariates_ = fit_covariates(
            kept, y, codes, domain=self.domain_name_, columns=space.columns.inside, carried=carried
        )
        rest, _ = rest_of(self.covariates_, y, codes, kept)
        tables = {d: rest[codes == i] for i, d in enumerate(names)}
        joined = linked_pairs(pairs, lambda rows: space.forward(rows, self._checked(rows)))
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        with space.naming_columns():
            key = jax.random.key(int(seed))
            self.result_ = fit_tables(key, tables, self.k, engine, joined, progress)
        self.mixing_ = mixing_of(self.result_, self.mixing)
        self.space_, self.domains_ = space, names
        return self

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
        label, y = check_label(domain), self.to_link_space(X)
        known = None if self.covariates_ is None else self.covariates_.with_domain(covariates, y)
        rest, _ = rest_of(known, y, np.full(len(y), len(self.domains_)), covariates)
        self.result_ = add_domain(self.result_, label, rest)
        self.covariates_ = known
        self.domains_ = (*self.domains_, label)
        return self

    def candidates(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> Float[np.ndarray, "c n p"]:
        """x_{d→d'} under every equally good model, the preferred one first."""
        moved, keep = self._moved(X, source, target, covariates)
        return np.stack([np.asarray(self.space_.inverse(y, X, keep)) for y in moved])

    def consensus(self, X: Kind, *, source: Any, target: Any, covariates: Any = None) -> Kind:
        """The mean of the candidates in link space, so that it stays within each column's range."""
        moved, keep = self._moved(X, source, target, covariates)
        return self.space_.inverse(np.mean(moved, axis=0), X, keep)

    def spread(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> tuple[Kind, Kind]:
        """(lowest, highest) x_{d→d'} over the candidates, by row and column, of the kind of X."""
        moved, keep = self._moved(X, source, target, covariates)
        ends = np.min(moved, axis=0), np.max(moved, axis=0)
        low, high = (self.space_.inverse(end, X, keep) for end in ends)
        return low, high

    def interval(
        self,
        X: Kind,
        *,
        source: Any,
        target: Any,
        level: float = 0.9,
        covariates: Any = None,
    ) -> tuple[Kind, Kind]:
        """(low, high) of x_{d→d'}, by row and column: where it lies with probability `level`.

        What is not known of the parameters, of the explanation and of the order of mechanisms goes
        into it. What the other domain's own measurement noise would add does not: no unpaired row
        tells how large that is. See `elsewhere.trust.calibrated_intervals` for pairs.

        Args:
            X: rows like those fitted.
            source: the domain they come from: one label, or one per row.
            target: the domain to move them to, likewise.
            level: in 0..1.
            covariates: of the rows, where the fit has kept any.
        """
        if not 0 < level < 1:
            raise ValueError(f"level must be in 0..1; got {level}.")
        if self.result_.knows_uncertainty is None:
            raise AssumptionError(
                f"a fit with mixing {self.mixing_!r} does not know how far it may be off. Fit with "
                "mixing 'auto' or 'moments', look at the spread, or calibrate with pairs."
            )
        moved, keep = self._moved(X, source, target, covariates)
        error = float(norm.ppf((1 + level) / 2)) * self._standard_errors(
            X, source, target, covariates
        )
        ends = np.min(moved, axis=0) - error, np.max(moved, axis=0) + error
        low, high = (self.space_.inverse(end, X, keep) for end in ends)
        return low, high

    def log_prob(self, X: Kind, domains: Any, *, covariates: Any = None) -> Float[np.ndarray, " n"]:
        """log p_d(x) of every row in the units of X: that of link space plus Σ log ∂y_j/∂x_j."""
        values = self._by_domain(X, domains, in_blocks.log_density, covariates)
        if self.covariates_ is not None:
            codes = self._codes("domains", domains, len(values))
            z = self.covariates_.z(covariates, len(values))
            values = values - self.covariates_.log_volume(z, codes)
        return check_answers(values + self.space_.log_slope(self._checked(X)))

    def abduct(self, X: Kind, domains: Any, *, covariates: Any = None) -> Rows:
        """ε = f_d⁻¹(g⁻¹(y)): the noise behind every row, one column for each modelled column."""
        return check_answers(self._by_domain(X, domains, in_blocks.noise, covariates))

    def to_link_space(self, X: Kind) -> Rows:
        """y [n, m], where the models of `result_` live: one column for each modelled column."""
        check_is_fitted(self)
        return self.space_.forward(X, self._checked(X))

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
        kept = () if self.covariates_ is None else self.covariates_.notes
        return (*self.space_.notes, *kept, *self.result_.notes)

    @property
    def difference_(self) -> str:
        """What differs between the domains, in one sentence; empty where k or mixing was asked."""
        return difference_in_words(self.result_)

    @property
    def path_(self) -> tuple[PathPoint, ...]:
        """For k="auto", the held-out likelihood for every k."""
        return self.result_.path

    def _checked(self, X: Kind, *, reset: bool = False) -> Float[np.ndarray, "n p"]:
        """The values of X in float64, if they are rows that this estimator can take."""
        check_numeric(X)
        x: Any = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        check_finite(X, x)
        return x

    def _counterfactual(self, X: Kind, source: Any, target: Any, covariates: Any = None) -> Kind:
        """The mean, in link space, of the answers of all models that the principle ties."""
        moved, keep = self._moved(X, source, target, covariates, self.result_.preferred)
        return self.space_.inverse(np.mean(moved, axis=0), X, keep)

    def _moved(
        self,
        X: Kind,
        source: Any,
        target: Any,
        covariates: Any = None,
        models: Sequence[Mover] | None = None,
    ) -> tuple[list[Rows], Bool[np.ndarray, " n"]]:
        """The answers in link space, one for each model, and which rows stay as they are."""
        y, known = self.to_link_space(X), self.covariates_
        d = self._codes("source", source, len(y))
        d_prime = self._codes("target", target, len(y))
        rest, z = rest_of(known, y, d, covariates)
        chosen = models or [c.model for c in self.result_.candidates]
        along = moving(known, rest, d)
        moved = [in_blocks.move_by_row(model, along, d, d_prime) for model in chosen]
        return [put_in(known, y, (rest, one), z, (d, d_prime)) for one in moved], d == d_prime

    def _standard_errors(self, X: Kind, source: Any, target: Any, covariates: Any = None) -> Rows:
        """Of the answers in link space."""
        y, known = self.to_link_space(X), self.covariates_
        d, d_prime = (
            self._codes(n, v, len(y)) for n, v in (("source", source), ("target", target))
        )
        rest, z = rest_of(known, y, d, covariates)
        found = in_blocks.by_pair(self.result_.uncertainty, rest, d, d_prime, self.domains_)
        return found if known is None or z is None else known.errors(found, rest, z, d, d_prime)

    def _by_domain(
        self, X: Kind, domains: Any, question: in_blocks.Question, covariates: Any = None
    ) -> np.ndarray:
        y = self.to_link_space(X)
        codes = self._codes("domains", domains, len(y))
        rest, _ = rest_of(self.covariates_, y, codes, covariates)
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
