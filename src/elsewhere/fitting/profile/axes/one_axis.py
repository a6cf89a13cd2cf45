"""One latent axis searched for while all others stay: few numbers, so many starts cost little."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.moves import Points, best_distinct, kinked_anywhere
from elsewhere.fitting.profile.kink import Kink
from elsewhere.fitting.profile.moments import Axes
from elsewhere.fitting.profile.rows import Rows

WIDTHS = (0.3, 0.1)
STEPS = 20  # evaluations at each width
STARTS = 32
KEPT = 12  # of these after the first width
APART = 0.002  # nats per row between optima that count as two
Trials = Float[np.ndarray, "R p"]  # [w | b]


@dataclass(frozen=True)
class OneAxis:
    """w, b ↦ log|w·c| + log_ratio · P(u < 0) − ½ mean_d log Var_d(z | the other latents).

    u = w·x + b and z = u + stretch·min(u, 0). This is the Dense likelihood of all axes but for a
    term that the others alone determine; c is at right angles to them. All domains weigh the same.
    """

    tables: Sequence[Float[np.ndarray, "m _"]]
    others: Sequence[Float[np.ndarray, "k _"]]  # of covariance I in every domain, centred
    covariances: Float[np.ndarray, "D m m"]
    right_angle: Float[np.ndarray, " m"]
    kink: Kink

    def value_and_slopes(
        self, trials: Trials, width: float
    ) -> tuple[Float[np.ndarray, " R"], Trials]:
        """The value with 1[u < 0] smoothed over `width` deviations of u, and its slopes."""
        across = trials[:, :-1] @ self.right_angle
        values, slopes = np.log(np.abs(across)), np.zeros_like(trials)
        slopes[:, :-1] = self.right_angle / across[:, None]
        single, D = trials.astype(self.tables[0].dtype), len(self.tables)
        for parts in zip(self.tables, self.others, self.covariances, strict=True):
            more, steeper = _of_domain(single, *parts, self.kink, width)
            values, slopes = values + more / D, slopes + steeper / D
        return values, slopes

    def optima(self, starts: Trials, count: int) -> Float[np.ndarray, "few p"]:
        """The best distinct local optima that L-BFGS reaches from the starts, |w| = 1."""
        values = np.empty(0)
        for width in WIDTHS:

            def loss(
                trials: np.ndarray, _: np.ndarray, width: float = width
            ) -> tuple[np.ndarray, np.ndarray]:
                values, slopes = self.value_and_slopes(trials, width)
                return -values, -slopes

            ends = minimise_each(loss, starts, STEPS, tolerance=1e-4)
            best = np.argsort(ends.values)[:KEPT]
            starts, values = ends.points[best], -ends.values[best]
        best = dict.fromkeys(best_distinct(values, count, APART))
        found = starts[[i for i in best if np.isfinite(values[i])]]
        return found / np.linalg.norm(found[:, :-1], axis=1, keepdims=True)


def one_axis(axes: Axes, j: int, rows: Rows, kink: Kink) -> OneAxis:
    """The likelihood as a function of axis j."""
    others = np.delete(axes, j, axis=0)
    right_angle = np.linalg.svd(others[:, :-1])[2][-1]
    single = others.astype(rows.tables[0].dtype)
    whitened = [_white(single, x, kink) for x in rows.tables]
    return OneAxis(rows.tables, whitened, rows.covariances, right_angle, kink)


def axis_starts(rng: np.random.Generator, axes: Axes, points: Points, count: int) -> Trials:
    """Axes in all directions, every other one as the axes given are spread; kinks among points."""
    normals = rng.standard_normal((1, count, len(axes)))
    normals[:, ::2] = normals[:, ::2] @ axes[:, :-1]
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return kinked_anywhere(rng, normals, points)[0]


def _white(
    axes: Float[np.ndarray, "k p"], x: Float[np.ndarray, "m n"], kink: Kink
) -> Float[np.ndarray, "k n"]:
    z = axes[:, :-1] @ x + axes[:, -1:]
    z += kink.stretch * np.minimum(z, 0)
    z -= z.mean(axis=1, keepdims=True)
    covariance = z.astype(float) @ z.T / z.shape[1]
    return np.linalg.inv(np.linalg.cholesky(covariance)).astype(z.dtype) @ z


def _of_domain(
    trials: Trials,
    x: Float[np.ndarray, "m n"],
    others: Float[np.ndarray, "k n"],
    covariance: Float[np.ndarray, "m m"],
    kink: Kink,
    width: float,
) -> tuple[Float[np.ndarray, " R"], Trials]:
    """log_ratio · the smoothed P(u < 0) − ½ log Var(z | others) in one domain, and its slopes."""
    n, W = x.shape[1], trials[:, :-1]
    u = W @ x
    u += trials[:, -1:]
    z = u + kink.stretch * np.minimum(u, 0)
    z -= z.mean(axis=1, keepdims=True)
    z -= (z @ others.T / n) @ others
    variances = np.einsum("rn,rn->r", z, z) / n
    through = W @ covariance
    deviations = np.sqrt((through * W).sum(axis=1))
    steepness = (1 / (width * deviations)).astype(u.dtype)
    with np.errstate(over="ignore"):  # far above its kink a row is not below: 1/∞
        below = 1 / (1 + np.exp(u * steepness[:, None] - u.dtype.type(kink.shift)))
    values = kink.log_ratio * below.mean(axis=1, dtype=float) - 0.5 * np.log(variances)
    turned = kink.log_ratio / n * steepness[:, None] * (below * below - below)
    z *= np.where(u < 0, u.dtype.type(1 + kink.stretch), u.dtype.type(1))
    by_u = turned.astype(u.dtype) - z / (n * variances[:, None])
    by_deviation = -(turned * u).sum(axis=1) / deviations**2
    slopes = np.concatenate([by_u @ x.T, by_u.sum(axis=1, keepdims=True)], axis=1)
    slopes[:, :-1] += by_deviation[:, None] * through
    return values, slopes
