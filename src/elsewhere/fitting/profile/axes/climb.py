"""Stacks of fits improved and compared."""

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.profile.axes.ascent import value_and_gradient
from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.linear_ascent import linear_value_and_gradient
from elsewhere.fitting.profile.axes.scales import factored_or_nan, of_moments
from elsewhere.fitting.profile.kink import Kink
from elsewhere.fitting.profile.rows import Rows

ARRIVED = 1e-5  # nats per row in a few steps: fewer and a stage of a climb ends
SETTLED = 1e-4  # nats per row: a climb that gains less has arrived
TOGETHER = 8  # fits at a time: what their gradients need then stays in a core's own cache
CLIMBS = 8  # at most, however slowly they go on rising
Stack = Float[np.ndarray, "R m m+1"]


def climb(
    stack: Stack,
    rows: Rows,
    kinds: Int[np.ndarray, "R m"],
    kink: Kink,
    widths: tuple[float, ...],
    steps: int,
    blurs: tuple[float, ...] = (),
) -> tuple[Stack, Int[np.ndarray, " R"]]:
    """argmax of the smoothed profile from every fit of the stack, one width after the other.

    Each width has its blur; without blurs all are 0.

    Returns the fits, every axis scaled to unit deviation (a scale that the mechanisms absorb), and
    how many steps each made.
    """
    weights, points = one_hot(kinds), stack.reshape(len(stack), -1)
    accepted = np.zeros(len(stack), int)
    for smooth in np.stack([widths, blurs or np.zeros(len(widths))], axis=1):

        def loss(
            trials: np.ndarray, which: np.ndarray, smooth: np.ndarray = smooth
        ) -> tuple[np.ndarray, np.ndarray]:
            fits = trials.reshape(-1, *stack.shape[1:])
            values, slopes = _value_and_gradient(fits, rows, weights[which], kink, smooth)
            return -values, -slopes.reshape(trials.shape)

        ends = minimise_each(loss, points, steps, tolerance=ARRIVED)
        points, accepted = ends.points, accepted + ends.accepted
    with np.errstate(all="ignore"):  # axes that vanish stay nowhere
        return _unit_deviation(points.reshape(stack.shape), rows), accepted


def settle(
    stack: Stack,
    rows: Rows,
    kinds: Int[np.ndarray, "R m"],
    kink: Kink,
    widths: tuple[float, ...],
    steps: int,
) -> Stack:
    """`climb` for each fit by itself, again and again while its exact likelihood rises."""

    def settled(fit: Stack, kind: Int[np.ndarray, "1 m"]) -> Stack:
        value = exact(fit, rows, kind, kink)
        for _ in range(CLIMBS):
            higher, _ = climb(fit, rows, kind, kink, widths, steps)
            before, after = value, exact(higher, rows, kind, kink)
            if after > before:
                fit, value = higher, after
            if not after > before + SETTLED:
                break
        return fit

    fits = zip(stack[:, None], kinds[:, None], strict=True)
    return np.concatenate([settled(fit, kind) for fit, kind in fits])


def exact(
    stack: Stack, rows: Rows, kinds: Int[np.ndarray, "R m"], kink: Kink
) -> Float[np.ndarray, " R"]:
    """The exact profile likelihood of every fit; −inf where it is not a number."""
    weights = one_hot(kinds)
    with np.errstate(all="ignore"):
        fits = zip(stack, weights, strict=True)
        values = np.array([_exact(axes, rows, kind, kink) for axes, kind in fits])
    return np.where(np.isfinite(values), values, -np.inf)


def one_hot(kinds: Int[np.ndarray, "*R m"]) -> Float[np.ndarray, "*R 3 m"]:
    """SHARED, OWN or OWN_BUT_SCALE of each mechanism, as weights."""
    return np.moveaxis(np.eye(3, dtype=np.float32)[kinds], -1, -2)


def _value_and_gradient(
    stack: Stack,
    rows: Rows,
    kinds: Float[np.ndarray, "R 3 m"],
    kink: Kink,
    smooth: Float[np.ndarray, "2"],
) -> tuple[Float[np.ndarray, " R"], Stack]:
    """Of all fits, one or TOGETHER at a time: of two shapes, whatever their number."""
    if not kink.stretch:
        return linear_value_and_gradient(stack, rows, kinds)
    R = len(stack)
    size = 1 if R < 3 else TOGETHER
    chosen = np.arange(-(-R // size) * size).reshape(-1, size) % R
    parts = [value_and_gradient(stack[i], rows.packed, kinds[i], kink, smooth) for i in chosen]
    values, slopes = (np.concatenate(part)[:R] for part in zip(*parts, strict=True))
    return values, slopes


def _exact(
    axes: Float[np.ndarray, "m m+1"], rows: Rows, kinds: Float[np.ndarray, "3 m"], kink: Kink
) -> float:
    single = axes.astype(rows.tables[0].dtype)
    parts = [_moments(single, x, kink) for x in rows.tables]
    means, covariances, below = map(np.stack, zip(*parts, strict=True))
    scales = of_moments(means[:, None], covariances[:, None], kinds[None], np, factored_or_nan)
    log_det = np.linalg.slogdet(axes[:, :-1])[1]
    return float(log_det + scales.values[0] + kink.log_ratio * below.sum(axis=1).mean())


def _moments(
    axes: Float[np.ndarray, "m m+1"], x: Float[np.ndarray, "m n"], kink: Kink
) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]:
    """E[z], Cov(z) and P(u < 0) of one domain."""
    u = axes[:, :-1] @ x
    u += axes[:, -1:]
    below = (u < 0).mean(axis=1)
    u += kink.stretch * np.minimum(u, 0)
    mean = u.mean(axis=1)
    u -= mean[:, None]
    return mean.astype(float), (u @ u.T).astype(float) / u.shape[1], below


def _unit_deviation(stack: Stack, rows: Rows) -> Stack:
    """Every axis over the deviation of u in all domains together, each weighing the same."""
    W = stack[..., :-1]
    within = (W @ rows.covariances[:, None] * W).sum(axis=-1).mean(axis=0)
    between = (W @ rows.means[:, None, :, None])[..., 0].var(axis=0)
    return stack / np.sqrt(within + between)[..., None]
