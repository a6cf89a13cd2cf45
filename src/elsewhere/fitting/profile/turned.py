"""Changed mechanisms of a linear mixing, turned to where one noise scale for all may suffice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float, Int

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.profile.choose import RESOLUTION, score
from elsewhere.fitting.profile.likelihood import mean_at_best
from elsewhere.fitting.profile.moments import Axes, LatentMoments, cholesky, closed_form
from elsewhere.fitting.profile.orders.classes import NEAR, latent_moves
from elsewhere.fitting.profile.problem import Problem
from elsewhere.fitting.profile.refit import Fitted, share_scales, with_axes

HALF_TURN = 48  # angles that are tried where two mechanisms change
DRAWN = 400  # rotations that are tried where more do
PEAKS = 3  # local optima, at most, that are refitted
HOPEFUL = 0.02  # nats per row below own scales, at most, from where refitting may reach these
Rotations = Float[np.ndarray, "t k k"]


def with_turned(
    problem: Problem, own: Sequence[Fitted], one_scale: Sequence[Fitted]
) -> tuple[list[Fitted], list[Fitted]]:
    """The fits, and others that explain the rows as well with the changed block in other axes.

    With a linear mixing any basis of the changed block is as likely while each domain has its own
    noise scales; with one scale for all, few are. Fits with one scale climb to the nearest of
    these only. So all directions are looked at from the likeliest fit, and the best of them that
    are not there yet are refitted. Where domains need scales of their own nothing is added.
    """
    if problem.slope != 1:
        return list(own), list(one_scale)
    best = max(own, key=lambda fitted: fitted.train)
    starts = _peaks(problem, best)
    both = list(zip(own, one_scale, strict=True))
    for fitted, shared in zip(starts, share_scales(problem, starts) if starts else [], strict=True):
        enough = score(problem, shared) > score(problem, best) - RESOLUTION
        if enough and all(_apart(problem, shared, other) > NEAR for _, other in both):
            both.append((with_axes(problem, fitted, shared.axes), shared))
    return [fitted for fitted, _ in both], [shared for _, shared in both]


def _peaks(problem: Problem, fitted: Fitted) -> list[Fitted]:
    """The fit with its block turned to the local optima of the likelihood with one scale."""
    changed = fitted.kinds == OWN
    k = int(changed.sum())
    if not 1 < k < problem.m:
        return []
    moments = problem.moments(fitted.axes)
    turns = _turns(moments, changed)
    kinds = np.where(changed, OWN_BUT_SCALE, SHARED)
    values = np.array([_value(fitted.axes, moments, turn, kinds) for turn in turns])
    tops = _tops(values, around=k == 2)
    hopeful = [i for i in tops[:PEAKS] if values[i] > fitted.train - HOPEFUL]
    return [with_axes(problem, fitted, turns[i] @ fitted.axes) for i in hopeful]


def _turns(moments: LatentMoments, changed: Bool[np.ndarray, " m"]) -> Float[np.ndarray, "t m m"]:
    """Rotations of the changed axes where these are white, given the others."""
    at = np.flatnonzero(changed)
    inside = np.linalg.inv(moments.covariances)[:, at][:, :, at]
    whiten = np.linalg.inv(cholesky(np.linalg.inv(inside).mean(axis=0)))
    rotations = _rotations(len(at))
    turns = np.tile(np.eye(len(changed)), (len(rotations), 1, 1))
    turns[:, at[:, None], at] = rotations @ whiten
    return turns


def _rotations(k: int) -> Rotations:
    """All angles of a plane, of which a half turn is enough; of more dimensions some at random."""
    if k > 2:
        return np.linalg.qr(np.random.default_rng(0).standard_normal((DRAWN, k, k)))[0]
    angle = np.pi * np.arange(HALF_TURN) / HALF_TURN
    cos, sin = np.cos(angle), np.sin(angle)
    return np.stack([np.stack([cos, sin], axis=-1), np.stack([-sin, cos], axis=-1)], axis=1)


def _value(
    axes: Axes, moments: LatentMoments, turn: Float[np.ndarray, "m m"], kinds: Int[np.ndarray, " m"]
) -> float:
    there = replace(
        moments, means=moments.means @ turn.T, covariances=turn @ moments.covariances @ turn.T
    )
    return mean_at_best(turn @ axes, closed_form(there, kinds), there, 1.0)


def _tops(values: Float[np.ndarray, " t"], *, around: bool) -> list[int]:
    """Where values are highest, the highest first; of a circle, the local maxima."""
    highest = (values >= np.roll(values, 1)) & (values >= np.roll(values, -1))
    places = np.flatnonzero(highest) if around else np.arange(len(values))
    return sorted(places.tolist(), key=lambda i: -values[i])


def _apart(problem: Problem, one: Fitted, other: Fitted) -> float:
    """Mean squared difference of all counterfactuals, in variances of the whitened rows."""
    maps = [_affine(fitted) for fitted in (one, other)]
    matrix, offset = (a - b for a, b in zip(*maps, strict=True))
    means = np.stack([table.mean(axis=0) for table in problem.train])
    centre = np.einsum("deij,dj->dei", matrix, means) + offset
    apart = ~np.eye(len(means), dtype=bool)
    return float(((matrix**2).sum(axis=-1) + centre**2)[apart].mean())


def _affine(fitted: Fitted) -> tuple[Float[np.ndarray, "D D m m"], Float[np.ndarray, "D D m"]]:
    """x ↦ W⁻¹ (B (W x + β) + a − β) of all ordered pairs of domains."""
    W, beta = fitted.axes[:, :-1], fitted.axes[:, -1]
    inside, back = latent_moves(fitted.mechanisms), np.linalg.inv(W)
    offset = inside.matrix @ beta + inside.offset - beta
    return back @ inside.matrix @ W, offset @ back.T
