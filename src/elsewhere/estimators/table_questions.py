"""What can be asked of a fitted table: answers, how far they may be off, densities and noise."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from elsewhere.errors import AssumptionError
from elsewhere.estimators import in_blocks
from elsewhere.estimators.carried_columns import besides_carried
from elsewhere.estimators.columns import Kind
from elsewhere.estimators.completed import Completed
from elsewhere.estimators.crossed import of_combinations, with_combinations
from elsewhere.estimators.fitted_table import FittedTable
from elsewhere.estimators.frames import of_any_frame
from elsewhere.estimators.kept_covariates import rest_of, whole
from elsewhere.estimators.link_space import Rows, check_answers
from elsewhere.estimators.pairs import as_pairs, check_covariates_of
from elsewhere.estimators.plain_rows import PlainRows, is_plain, of_kind, takes_plain_rows
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.estimators.arrow_mover import ArrowMover


class TableQuestions(FittedTable, saved=False):
    """x_{d→d'} of rows, with every equally good model's answer and with intervals."""

    @of_any_frame
    @besides_carried
    @of_combinations
    def counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Any:
        """x_{d→d'} of every row, of the kind of X; where d' = d it stays as it is.

        Args:
            X: rows like those fitted.
            source: the domain they come from: one label, or one per row.
            target: the domain to move them to, likewise; "all" gives a dictionary with an answer
                for every domain. Of crossed domains {"site": "B", "scanner": 2}, or only some of
                these, the others staying each row's own.
            covariates: of the rows, where the fit has kept any.
            fill: whether entries that are missing are filled with what is expected of them in the
                target; else they stay missing.
        """
        return super().counterfactual(X, source, target, covariates=covariates, fill=fill)

    def mover(self, target: Any, source: Any = None, *, fill: bool = False) -> "ArrowMover":
        """A pure function from Arrow RecordBatch to RecordBatch, for engines that run one anywhere.

        Args:
            target: the domain to move all rows to.
            source: the domain that they come from; None where the column of domains says it.
            fill: whether missing entries are filled.
        """
        from elsewhere.estimators.arrow_mover import ArrowMover

        self._check_fitted()
        known = self.crossing_
        if known is None:
            return ArrowMover(self, target, source, fill)
        ends = known.label(target), None if source is None else known.label(source)
        asked = with_combinations(self, [d for d in ends if d is not None])
        return ArrowMover(asked, *ends, fill)

    @of_any_frame
    @besides_carried
    @of_combinations
    def candidates(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> Float[np.ndarray, "c n p"]:
        """x_{d→d'} under every equally good model, the preferred one first."""
        asked = self._asked(X, source, target, covariates)
        return np.stack([np.asarray(asked.back(y)) for y in self._moved(asked)])

    @of_any_frame
    @besides_carried
    @of_combinations
    def consensus(self, X: Kind, *, source: Any, target: Any, covariates: Any = None) -> Kind:
        """The mean of the candidates in link space, so that it stays within each column's range."""
        asked = self._asked(X, source, target, covariates)
        return asked.back(np.mean(self._moved(asked), axis=0))

    @of_any_frame
    @besides_carried
    @of_combinations
    def spread(
        self,
        X: Kind,
        *,
        source: Any,
        target: Any,
        covariates: Any = None,
        mirrored: bool = True,
    ) -> tuple[Kind, Kind]:
        """(lowest, highest) x_{d→d'} over the candidates, by row and column, of the kind of X.

        Args:
            X: rows like those fitted.
            source: the domain they come from: one label, or one per row.
            target: the domain to move them to, likewise.
            covariates: of the rows, where the fit has kept any.
            mirrored: whether models whose changed noises have another sign in d' are among them: no
                unpaired row can tell whether what is high here is low there.
        """
        asked = self._asked(X, source, target, covariates)
        moved = [*self._moved(asked), *(self._mirrored(asked) if mirrored else [])]
        return asked.back(np.min(moved, axis=0)), asked.back(np.max(moved, axis=0))

    @of_any_frame
    @besides_carried
    @of_combinations
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
        into it; that what is high here is high there is taken for granted, other than by `spread`.
        What the other domain's own measurement noise would add does not: no unpaired row tells how
        large that is. Pairs do: with them, the interval is conformal, and holds what is measured in
        the other domain with at least that probability, whatever the model is worth.

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
            asked = self._asked(X, source, target, covariates)
            half = self._half_widths(asked, level, pairs)
            moved = self._answer(asked)
            return asked.back(moved - half), asked.back(moved + half)
        if self.result_.knows_uncertainty is None:
            raise AssumptionError(
                f"a fit with mixing {self.mixing_!r} does not know how far it may be off. Fit with "
                "mixing 'auto' or 'moments', look at the spread, or calibrate with pairs."
            )
        from scipy.special import ndtri

        asked = self._asked(X, source, target, covariates)
        moved = self._moved(asked)
        error = float(ndtri((1 + level) / 2)) * self._standard_errors(asked)
        return asked.back(np.min(moved, axis=0) - error), asked.back(np.max(moved, axis=0) + error)

    def _half_widths(self, asked: Completed, level: float, pairs: Any) -> Rows:
        """Of intervals that hold as pairs tell, in link space."""
        from elsewhere.estimators.calibrated import Ends, half_widths

        check_covariates_of(pairs, self.covariates_)

        def answer(ends: Ends, d: Hashable, d_prime: Hashable) -> tuple[Rows, Rows]:
            said = self._asked(ends[0], d, d_prime, ends[2])
            seen = self._asked(ends[1], d_prime, d_prime, ends[2])
            return self._answer(said), seen.given(seen.whole)

        return half_widths(as_pairs(pairs), answer, asked, level, self.domains_)

    @of_any_frame
    @besides_carried
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
    @besides_carried
    def log_prob(self, X: Kind, domains: Any, *, covariates: Any = None) -> Float[np.ndarray, " n"]:
        """log p_d(x) of every row in the units of X: that of link space plus Σ log ∂y_j/∂x_j.

        Of a row with missing entries, that of those which are there.
        """
        values = self._by_domain(X, domains, in_blocks.log_density, covariates)
        y, known = self.to_link_space(X), self.covariates_
        codes = self._codes("domains", domains, len(y))
        if known is not None:
            z = known.z(covariates, len(y))
            values = values - known.log_volume(z, codes, ~np.isnan(y))
        if self.gaps_ is not None:
            values = values - self.gaps_.log_left_open(y, codes)
        return check_answers(values + self.space_.log_slope(self._checked(X)))

    @of_any_frame
    @besides_carried
    def abduct(self, X: Kind, domains: Any, *, covariates: Any = None) -> Rows:
        """ε = f_d⁻¹(g⁻¹(y)): the noise behind every row, one column for each modelled column."""
        return check_answers(self._by_domain(X, domains, in_blocks.noise, covariates))

    def _counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Kind:
        """The mean, in link space, of the answers of all models that the principle ties."""
        if covariates is None and is_plain(X) and takes_plain_rows(self):
            x = self._checked(X)
            codes = (
                self._codes(n, at, len(x)) for n, at in (("source", source), ("target", target))
            )
            if (moved := PlainRows(self)(x, *codes)) is not None:
                return of_kind(X, moved)
        asked = self._asked(X, source, target, covariates, fill=fill)
        return asked.back(self._answer(asked))

    def _asked(
        self, X: Kind, source: Any, target: Any, covariates: Any = None, *, fill: bool = False
    ) -> Completed:
        self._check_fitted()
        x = self._checked(X)
        d = self._codes("source", source, len(x))
        d_prime = self._codes("target", target, len(x))
        y, zeros = self.space_.forward(X, x), self.space_.zeros(x)
        rest, z = rest_of(self.covariates_, y, d, covariates)
        known = self.space_, self.gaps_, self.covariates_
        return Completed(*known, X, y, rest, z, d, d_prime, zeros, fill)

    def _answer(self, asked: Completed) -> Rows:
        """The mean over the models that the principle ties."""
        moved = self._moved(asked, self.movers)
        return moved[0] if len(moved) == 1 else np.mean(moved, axis=0)

    def _moved(self, asked: Completed, models: Sequence[Mover] | None = None) -> list[Rows]:
        """The answers in link space, one for each model."""
        chosen = models or [c.model for c in self.result_.candidates]
        return [asked.moved(asked.whole, partial(in_blocks.move_by_row, m)) for m in chosen]

    def _mirrored(self, asked: Completed) -> list[Rows]:
        """The answers of models whose changed noises have another sign in the target."""
        towards = {d: self.result_.mirrored(d) for d in self.domains_}
        ways = [dict(zip(towards, way, strict=True)) for way in zip(*towards.values(), strict=True)]
        return [asked.moved(asked.whole, partial(in_blocks.move_by_target, w)) for w in ways]

    def _standard_errors(self, asked: Completed) -> Rows:
        """Of the answers in link space, with what covariates and missing entries leave open."""
        known, where, rest = self.covariates_, (asked.d, asked.d_prime), asked.whole
        errors = in_blocks.by_pair(self.result_.uncertainty, rest, *where, self.domains_)
        if known is not None and asked.z is not None:
            errors = known.errors(errors, rest, asked.z, *where)
        move = partial(in_blocks.move_by_row, self.result_.model)
        return asked.less_sure(errors, lambda drawn: asked.moved(drawn, move))

    def _by_domain(
        self, X: Kind, domains: Any, question: in_blocks.Question, covariates: Any
    ) -> np.ndarray:
        asked = self._asked(X, domains, domains, covariates)
        return in_blocks.by_domain(self.result_.model, asked.whole, asked.d, question)

    def _noise_dimension(self) -> int:
        return in_blocks.with_density(self.result_.model).m

    def _made(self, eps: Rows, code: int, covariates: Any = None) -> Kind:
        made, known = in_blocks.made(self.result_.model, eps, self.domains_[code]), self.covariates_
        z = None if known is None else known.z(covariates, len(eps))
        y = whole(known, made, z, np.full(len(eps), code))
        return self.space_.inverse(y, self.space_.columns.blank(len(eps)))
