"""The estimator that most people import: a table and its domains in, counterfactuals out."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, no_type_check

import numpy as np
from jaxtyping import Float

from elsewhere.draws import words_of
from elsewhere.estimators.base import Header, RandomState, seed_from
from elsewhere.estimators.by_domain import ByDomain
from elsewhere.estimators.carried_columns import (
    NONE,
    Carried,
    besides_carried,
    carried_columns,
    carried_notes,
    without,
)
from elsewhere.estimators.case_mix import case_mix_notes
from elsewhere.estimators.choose_links import Spec, with_room
from elsewhere.estimators.columns import Kind, names_of
from elsewhere.estimators.completed import completed
from elsewhere.estimators.crossed import crossed_engine
from elsewhere.estimators.crossing import one_column
from elsewhere.estimators.frames import as_pandas, of_any_frame
from elsewhere.estimators.kept_covariates import (
    covariates_and_gaps,
    given_covariates,
    rest_of,
    rest_to_fit,
    rows_of,
    rows_to_learn_on,
    taken,
)
from elsewhere.estimators.labels import Codes, check_label, codes_of, factorised, ordered
from elsewhere.estimators.levels import asked_levels, encoded
from elsewhere.estimators.link_space import (
    LinkSpace,
    Rows,
    constant_notes,
    link_space,
)
from elsewhere.estimators.pairs import check_covariates_of, linked_pairs, rows_of_pairs
from elsewhere.estimators.requested_engine import mixing_of, requested_engine
from elsewhere.estimators.table_file import check_file, describe, restore
from elsewhere.estimators.table_questions import TableQuestions
from elsewhere.estimators.wholes import wholes_of, with_note
from elsewhere.fitting import Crossed, Engine, Options, Progress
from elsewhere.fitting import fit as fit_tables


class DomainCounterfactual(TableQuestions):
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
        columns: which columns of a DataFrame to model: "auto" for its amounts and what `links` or
            `sums` names, "all", or a list of names. The others are carried through unchanged.

    Attributes:
        carried_: why each column is carried that is not modelled; text, dates, two values, codes.
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
        n_features_in_: the number of columns that are not carried.
        feature_names_in_: their names, where X was a DataFrame with text names.
    """

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
        columns: str | Sequence[Any] = "auto",
    ):
        self.k: int | Literal["auto"] | None = k
        self.mixing = mixing
        self.links = links
        self.slope = slope
        self.options = options
        self.random_state = random_state
        self.sums = sums
        self.columns = columns

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
        whole: Iterable[tuple[Any, Any]] | None = None,
        progress: Progress | None = None,
    ) -> "DomainCounterfactual":
        """Fit to the rows of X [n, p], `domains` giving each one's domain.

        Args:
            X: a table: an array of numbers, a pandas or polars DataFrame, or an Arrow table.
                Columns that never vary or hold no amounts are carried through unchanged. NaN is a
                missing value: the row's other entries take part.
            domains: one label per row, of any kind; at least two different ones. Or two or three
                columns of labels, such as site and scanner, whose effects add up.
            covariates: what is kept as it is, such as age and diagnosis: numbers and categories,
                one row per row of X. What they explain is not taken for a difference of domains.
            learn_on: which rows to learn from: one truth value per row, or a function of the
                covariates (of X where there are none) that gives them. Default: all.
            carried: the share of what covariates do not explain that moves along with a row; the
                rest is taken for noise of the measurement.
            pairs: rows seen in two domains, as `elsewhere.fitting.Pairs` or tuples (source,
                target, X_source, X_target): one, or a list. With covariates, a fifth part: those of
                the samples.
            whole: where X is a sample of more rows than memory holds, all of them, X included, as
                batches (X, domains). They are read once; only their number, mean and covariance by
                domain are used, in the place of those of X. Not with covariates, pairs or gaps.
            progress: called with the fraction done and a line of text.
        """
        engine = requested_engine(self.mixing, self.slope, self.options)
        engine, domains = crossed_engine(engine, domains), one_column(domains)
        check_covariates_of(pairs, covariates)
        aside, every = self._carried(X, covariates, domains), X
        X = without(X, aside)
        space, x, codes, names = self._planned(X, domains, pairs, aside)
        learnt = rows_to_learn_on(learn_on, every, covariates, codes, names)
        y, codes = rows_of(space.forward(X, x), learnt), codes[learnt]
        x, kept = rows_of(x, learnt), taken(covariates, learnt)
        self.domain_name_ = getattr(domains, "name", None)
        named = {"domain": self.domain_name_, "columns": space.columns.inside}
        known, gaps, y = covariates_and_gaps(kept, y, codes, carried=carried, **named)
        rest, p_values = rest_to_fit(known, y, codes, kept)
        engine = engine if known is None else given_covariates(engine, p_values)
        if not isinstance(engine, Crossed):
            said = case_mix_notes(every, aside, learnt, rest, codes, self.domain_name_)
            space = replace(space, notes=(*space.notes, *said))
        if known is None and not gaps.missing:  # then y is at hand, and need not be held
            tables = ByDomain(names, lambda i: space.forward(X, x[codes == i]))
        else:
            tables = {d: rest[codes == i] for i, d in enumerate(names)}
        del y, rest

        def inside(rows: Kind) -> Rows:
            rows = without(as_pandas(rows), aside)
            return space.forward(rows, self._checked(rows, levels=space.levels))

        def linked(rows: Kind, d: Hashable, of_pair: Any) -> Rows:
            found = inside(rows)
            where = codes_of("pairs", d, len(found), names)
            return completed(rest_of(known, found, where, of_pair)[0], gaps, where)

        joined = linked_pairs(pairs, linked)
        wholes = None
        if whole is not None and covariates is None and learn_on is None and not joined:
            wholes = wholes_of(whole, inside, names)
        seed = seed_from(self.random_state)
        with space.naming_columns():
            self.result_ = fit_tables(
                words_of(seed),
                tables,
                k=self.k,
                engine=engine,
                pairs=joined,
                progress=progress,
                units=space.units,
                wholes=wholes,
            )
        if whole is not None:
            self.result_ = with_note(self.result_, wholes)
        self.mixing_ = mixing_of(self.result_, self.mixing)
        self.space_, self.gaps_, self.covariates_, self.domains_ = space, gaps, known, names
        self.carried_ = aside
        return self

    @of_any_frame
    def plan(self, X: Kind, domains: Any) -> LinkSpace:
        """The columns that a fit would model, and how; nothing is fitted."""
        from sklearn.base import clone

        fresh: Any = clone(self)
        carried = self._carried(X, None, domains)
        return fresh._planned(without(X, carried), one_column(domains), carried=carried)[0]

    @of_any_frame
    @besides_carried
    def add_domain(
        self, X: Kind, domain: Hashable, *, covariates: Any = None
    ) -> "DomainCounterfactual":
        """Fit only the mechanisms that differ for one more domain; earlier answers stay the same.

        Args:
            X: its rows.
            domain: its label, which becomes the last of `domains_`. A combination of crossed
                domains is drawn towards what its parts add up to.
            covariates: of its rows, where the fit has kept any; they do what they do in all
                domains together.
        """
        from elsewhere.fitting.refine import add_domain

        crossing = self.crossing_
        label = check_label(domain) if crossing is None else crossing.label(domain)
        parts = None if crossing is None else crossing.seen.expected(label)
        y = self.to_link_space(X)
        codes = np.full(len(y), len(self.domains_))
        known = None if self.covariates_ is None else self.covariates_.with_domain(covariates, y)
        rest, _ = rest_of(known, y, codes, covariates)
        gaps = self.gaps_ and self.gaps_.with_domain(rest)
        drawn = completed(rest, gaps, codes, drawn=True)
        self.result_ = add_domain(self.result_, label, drawn, parts=parts)
        self.covariates_, self.gaps_ = known, gaps
        self.domains_ = (*self.domains_, label)
        return self

    def _carried(self, X: Kind, covariates: Any, domains: Any) -> Carried:
        """Which columns are not modelled, and why."""
        named: set[Any] = {*self.links} if isinstance(self.links, Mapping) else set()
        for total, parts in self.sums.items() if isinstance(self.sums, Mapping) else ():
            named |= {total, *parts}
        return carried_columns(X, self.columns, named, covariates, domains)

    def _planned(
        self, X: Kind, domains: Any, pairs: Any = None, carried: Carried = NONE
    ) -> tuple[LinkSpace, Float[np.ndarray, "n p"], Codes, tuple[Hashable, ...]]:
        """(links, values, the domain of each row, the domains' names)."""
        levels = asked_levels(X, self.links)
        x = self._checked(X, reset=True, levels=levels)
        of_pairs = [without(as_pandas(rows), carried) for rows in rows_of_pairs(pairs)]
        paired = [self._checked(rows, levels=levels) for rows in of_pairs]
        links = with_room(self.links, names_of(X, x.shape[1]), x, paired)
        names = ordered(factorised("domains", domains, len(x))[1])
        codes = codes_of("domains", domains, len(x), names)
        space = link_space(encoded(X, levels), x, codes, links, levels, self.sums)
        said = *carried_notes(carried), *space.notes
        said = *said, *constant_notes(space.columns.values(x), space, codes, names)
        return replace(space, notes=said), x, codes, names

    def _describe(self) -> tuple[Header, list[np.ndarray]]:
        return describe(self)

    @classmethod
    def _check_file(cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
        check_file(header, arrays)

    @classmethod
    def _restore(
        cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        return restore(header, arrays)
