"""Fitted covariates: what they explain is taken out of rows, and put in again elsewhere."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.covariates.columns import Category, Column, as_frame, column_of
from elsewhere.covariates.confounding import Confounding
from elsewhere.covariates.design import Design
from elsewhere.covariates.effects import CovariateEffects

Rows = Float[np.ndarray, "n p"]
WIDEST = 2.0  # of log e^{zT}


@dataclass(frozen=True)
class Covariates:
    """y = z B_d + s_d (c_d + e^{zT} (rest − c_d)): y is a row in link space, z its covariates.

    Engines move `rest`. Where covariates change how much rows vary, they do so about c_d.

    Attributes:
        design: from covariates to z.
        effects: B_d, and what is not known of it.
        stretch: s_d, the domains' gains where what is left is stretched by them too, else 1.
        spread: T, 0 where rows vary alike whatever their covariates.
        centres: c_d, the same for all domains where they do not differ by offsets.
        z_means: the mean of z in each domain.
        total: how many rows were learnt from.
        carried: the share of `rest` that moves along with a row.
        rest_means: the mean of `rest` in each domain.
        confounding: how far domains can be told from covariates.
        seen: of each domain and covariate the (least, most) of a number, or the levels.
        notes: what there is to say, in plain words.
    """

    design: Design
    effects: CovariateEffects
    stretch: Float[np.ndarray, "D p"]
    spread: Float[np.ndarray, "q p"]
    centres: Float[np.ndarray, "D p"]
    z_means: Float[np.ndarray, "D q"]
    total: int
    carried: float
    rest_means: Float[np.ndarray, "D p"]
    confounding: Confounding
    seen: tuple[tuple[tuple[Any, ...], ...], ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The covariates that a question must have."""
        return self.design.basis.names

    def z(self, covariates: Any, n: int) -> Float[np.ndarray, "n q"]:
        """The columns of the regression for n rows."""
        return self.design.rows(self.frame(covariates, n))

    def frame(self, covariates: Any, n: int) -> pd.DataFrame:
        """The covariates as a DataFrame with the columns of the fit, or why they will not do."""
        if covariates is None:
            raise ValueError(
                f"covariates must be given, because the fit has kept {list(self.names)}: pass "
                "covariates= with these columns of the rows asked about."
            )
        frame = as_frame(covariates, n)
        if missing := [name for name in self.names if name not in frame.columns]:
            raise ValueError(
                f"covariates must have the columns of the fit, {list(self.names)}; {missing} are "
                f"missing among {list(frame.columns)}."
            )
        return frame

    def taken_out(self, y: Rows, z: Float[np.ndarray, "n q"], codes: Codes) -> Rows:
        """rest = c_d + e^{−zT} ((y − z B_d)/s_d − c_d)."""
        left = (y - self.explained(z, codes)) / self.stretch[codes]
        if not self.spread.any():
            return left
        return self.centres[codes] + (left - self.centres[codes]) / self.widths(z)

    def put_in(self, rest: Rows, z: Float[np.ndarray, "n q"], codes: Codes) -> Rows:
        """z B_d + s_d (c_d + e^{zT} (rest − c_d))."""
        if self.spread.any():
            rest = self.centres[codes] + (rest - self.centres[codes]) * self.widths(z)
        return self.explained(z, codes) + self.stretch[codes] * rest

    def widths(self, z: Float[np.ndarray, "n q"]) -> Rows:
        """e^{zT}, within what a fit can have seen."""
        return np.exp(np.clip(z @ self.spread, -WIDEST, WIDEST))

    def log_volume(
        self, z: Float[np.ndarray, "n q"], codes: Codes, seen: Bool[np.ndarray, "n p"]
    ) -> Float[np.ndarray, " n"]:
        """log |∂y/∂rest| over the entries that are seen."""
        return (seen * (np.log(self.stretch)[codes] + np.log(self.widths(z)))).sum(axis=1)

    def explained(self, z: Float[np.ndarray, "n q"], codes: Codes) -> Rows:
        """z B_d, what covariates explain in domain d."""
        answer = np.empty((len(z), self.stretch.shape[1]))
        for i in np.unique(codes):
            answer[codes == i] = z[codes == i] @ self.effects.coefficients[i]
        return answer

    def moving(self, rest: Rows, codes: Codes) -> Rows:
        """What of the rest moves along: the rows drawn to the mean of their domain."""
        if self.carried == 1:
            return rest
        means = self.rest_means[codes]
        return means + self.carried * (rest - means)

    def errors(
        self,
        of_rest: Rows,
        rest: Rows,
        z: Float[np.ndarray, "n q"],
        codes: Codes,
        codes_prime: Codes,
    ) -> Rows:
        """The standard errors of answers, given those of the moved rest."""
        moved = (codes != codes_prime)[:, None]
        stretch = self.stretch[codes_prime] * self.widths(z)
        share, away = 2 * (1 - self.carried), rest - self.rest_means[codes]
        noise = self.effects.noise.mean(axis=0)
        new = share * (stretch**2 * away**2 / 12 + 2 / 3 * noise) * moved
        return np.sqrt((stretch * of_rest) ** 2 + self.variances(z, codes, codes_prime) + new)

    def with_domain(self, covariates: Any, y: Rows) -> "Covariates":
        """One more domain, in which covariates do what they do in all together; y may have gaps."""
        z, old = self.z(covariates, len(y)), self.effects
        more = {
            "gains": np.ones_like(old.gains[:1]),
            "own": np.zeros_like(old.own[:1]),
            "gain_variances": old.gain_variances.mean(axis=0, keepdims=True),
            "own_variances": old.own_variances.mean(axis=0, keepdims=True),
            "noise": old.noise.mean(axis=0, keepdims=True),
        }
        joined = {n: np.concatenate([getattr(old, n), new]) for n, new in more.items()}
        left, all_missing = y - z @ old.shared, np.isnan(y).all(axis=0)
        left[:, all_missing] = self.rest_means.mean(axis=0)[all_missing]
        rest = np.nanmean(left, axis=0)
        shown = seen_values(self.design.basis.columns, self.frame(covariates, len(y)))
        return replace(
            self,
            effects=replace(old, **joined),
            stretch=np.concatenate([self.stretch, np.ones_like(self.stretch[:1])]),
            centres=np.concatenate([self.centres, rest[None]]),
            z_means=np.concatenate([self.z_means, z.mean(axis=0)[None]]),
            rest_means=np.concatenate([self.rest_means, rest[None]]),
            seen=(*self.seen, shown),
        )

    def variances(self, z: Float[np.ndarray, "n q"], codes: Codes, codes_prime: Codes) -> Rows:
        """Of z (B_d' − B_d) and of the offsets that rest on B, because B, γ and W are estimates."""
        apart = self.z_means[codes_prime] - self.z_means[codes]
        noise = self.effects.noise.mean(axis=0)
        shared = (apart**2).sum(axis=1)[:, None] * noise / self.total
        own = sum(self._own_variance(z, c) for c in (codes, codes_prime))
        return np.where((codes == codes_prime)[:, None], 0.0, shared + own)

    def _own_variance(self, z: Float[np.ndarray, "n q"], codes: Codes) -> Rows:
        away = z - self.z_means[codes]
        of_gains = self.effects.gain_variances[codes] * (away @ self.effects.shared) ** 2
        of_own = np.empty_like(of_gains)
        for i in np.unique(codes):
            of_own[codes == i] = away[codes == i] ** 2 @ self.effects.own_variances[i]
        return of_gains + of_own

    def unseen(self, covariates: Any, n: int, d_prime: int) -> Bool[np.ndarray, " n"]:
        """Rows with a covariate that domain d' has never shown: their answers extrapolate."""
        frame = self.frame(covariates, n)
        found = np.zeros(n, bool)
        for column, seen in zip(self.design.basis.columns, self.seen[d_prime], strict=True):
            values = column_of(frame, column.name)
            if isinstance(column, Category):
                found |= ~np.isin(column.codes(values), [column.levels.index(v) for v in seen])
            else:
                x = values.to_numpy(float)
                found |= (x < seen[0]) | (x > seen[1])
        return found

    @cached_property
    def explained_share(self) -> float:
        """The share of the variance within domains that covariates explain, over all columns."""
        signal = (self.effects.shared**2).sum(axis=0)
        return float(np.mean(signal / (signal + self.effects.noise.mean(axis=0))))


def seen_values(columns: Sequence[Column], frame: pd.DataFrame) -> tuple[tuple[Any, ...], ...]:
    """Of each covariate the (least, most) of a number, or the levels."""
    return tuple(_values(column, column_of(frame, column.name)) for column in columns)


def _values(column: Column, values: pd.Series) -> tuple[Any, ...]:
    if isinstance(column, Category):
        return tuple(column.levels[i] for i in np.unique(column.codes(values)))
    x = values.to_numpy(float)
    return float(x.min()), float(x.max())
