"""What can be asked of a fitted table: answers, how far they may be off, densities and noise."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from elsewhere.errors import AssumptionError
from elsewhere.estimators import in_blocks
from elsewhere.estimators.columns import Kind
from elsewhere.estimators.completed import Completed, completed
from elsewhere.estimators.crossed import of_combinations, with_combinations
from elsewhere.estimators.fitted_table import FittedTable
from elsewhere.estimators.frames import of_any_frame
from elsewhere.estimators.kept import moving, put_in, rest_of, whole
from elsewhere.estimators.link_space import Rows, check_answers
from elsewhere.estimators.pairs import linked_pairs
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.estimators.arrow_mover import ArrowMover


class TableQuestions(FittedTable, saved=False):
    """x_{d→d'} of rows, with every equally good model's answer and with intervals."""

    @of_any_frame
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
    @of_combinations
    def candidates(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> Float[np.ndarray, "c n p"]:
        """x_{d→d'} under every equally good model, the preferred one first."""
        asked = self._asked(X, source, target)
        return np.stack([np.asarray(asked.back(y)) for y in self._moved(asked, covariates)])

    @of_any_frame
    @of_combinations
    def consensus(self, X: Kind, *, source: Any, target: Any, covariates: Any = None) -> Kind:
        """The mean of the candidates in link space, so that it stays within each column's range."""
        asked = self._asked(X, source, target)
        return asked.back(np.mean(self._moved(asked, covariates), axis=0))

    @of_any_frame
    @of_combinations
    def spread(
        self, X: Kind, *, source: Any, target: Any, covariates: Any = None
    ) -> tuple[Kind, Kind]:
        """(lowest, highest) x_{d→d'} over the candidates, by row and column, of the kind of X."""
        asked = self._asked(X, source, target)
        moved = self._moved(asked, covariates)
        return asked.back(np.min(moved, axis=0)), asked.back(np.max(moved, axis=0))

    @of_any_frame
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

    def _counterfactual(
        self, X: Kind, source: Any, target: Any, *, covariates: Any = None, fill: bool = False
    ) -> Kind:
        """The mean, in link space, of the answers of all models that the principle ties."""
        asked = self._asked(X, source, target, fill=fill)
        moved = self._moved(asked, covariates, self.result_.preferred)
        return asked.back(moved[0] if len(moved) == 1 else np.mean(moved, axis=0))

    def _asked(self, X: Kind, source: Any, target: Any, *, fill: bool = False) -> Completed:
        self._check_fitted()
        x = self._checked(X)
        d = self._codes("source", source, len(x))
        d_prime = self._codes("target", target, len(x))
        y, zeros = self.space_.forward(X, x), self.space_.zeros(x)
        return Completed(self.space_, self.gaps_, X, y, d, d_prime, zeros, fill)

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

    def _noise_dimension(self) -> int:
        return in_blocks.with_density(self.result_.model).m

    def _made(self, eps: Rows, code: int, covariates: Any = None) -> Kind:
        made, known = in_blocks.made(self.result_.model, eps, self.domains_[code]), self.covariates_
        z = None if known is None else known.z(covariates, len(eps))
        y = whole(known, made, z, np.full(len(eps), code))
        return self.space_.inverse(y, self.space_.columns.blank(len(eps)))
