"""Everything a stage of the fit needs to know of the data."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.profile.kink import Kink, kink_of
from elsewhere.fitting.profile.moments import LatentMoments, Tables, closed_form, latent_moments
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.profile.rows import Rows, rows_of
from elsewhere.fitting.profile.whitening import Whitening, whitening
from elsewhere.fitting.progress import Progress, silent
from elsewhere.fitting.split import Named


@dataclass(frozen=True)
class Problem:
    """Whitened rows to fit and rows held out, the rectifier's slope (1 for none), the options."""

    domains: tuple[Hashable, ...]
    train: Tables
    valid: Tables
    rows: Rows
    white: Whitening
    slope: float
    kink: Kink
    options: Options
    progress: Progress

    @property
    def m(self) -> int:
        """How many columns there are."""
        return self.train[0].shape[1]

    @property
    def effective_rows(self) -> float:
        """n = D²/Σ_d 1/n_d: D n_d for equal domains, less where a small one weighs as much."""
        return len(self.train) ** 2 / sum(1 / len(table) for table in self.train)

    def share(self, total: int) -> int:
        """How many rows of each domain make so many in all; at least 20 for each column."""
        return max(total // len(self.train), 20 * self.m)

    def some(self, total: int) -> Rows:
        """The first rows of each domain, so many in all."""
        return self.rows.first(self.share(total))

    def moments(self, axes: Float[np.ndarray, "m m+1"]) -> LatentMoments:
        """Of the latents, on all rows."""
        return latent_moments(axes, self.train, self.slope)

    def mechanisms(
        self, axes: Float[np.ndarray, "m m+1"], kinds: Int[np.ndarray, " m"]
    ) -> Mechanisms:
        """The best mechanisms for the axes, on all rows."""
        return closed_form(self.moments(axes), kinds)


def make_problem(
    train: Named, valid: Named, slope: float, options: Options, progress: Progress = silent
) -> Problem:
    """The data whitened."""
    white = whitening(list(train.values()))
    tables = [white(table) for table in train.values()]
    held = [white(valid[d]) for d in train]
    rows = rows_of(tables if slope != 1 else sigma_points(tables))
    return Problem(
        tuple(train), tables, held, rows, white, slope, kink_of(slope), options, progress
    )


def sigma_points(tables: Tables) -> Tables:
    """μ_d ± √m F_d e_j, F_d F_dᵀ = Cov_d: 2m rows with the same mean and covariance.

    With a linear mixing these are all that the likelihood sees.
    """
    points = []
    for table in tables:
        m = table.shape[1]
        factor = np.linalg.cholesky(np.cov(table, rowvar=False, bias=True).reshape(m, m))
        spread = np.sqrt(m) * factor.T
        points.append(table.mean(axis=0) + np.concatenate([spread, -spread]))
    return points
