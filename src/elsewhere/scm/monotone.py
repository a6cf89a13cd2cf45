"""Whether mechanisms are strictly monotone in their own noise, as far as a search can see."""

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from elsewhere.errors import AssumptionError, concrete

ScalarMap = Callable[[Array, Array], Array]
_CORE = 4.0
_REACH = 100.0
_ROWS = 64
_ROUNDS = 4
# Finely to ±4, less so to ±10, beyond which no draw of N(0, 1) lies in double precision.
_FAR = np.concatenate([np.linspace(_CORE, 10.0, 25)[1:], np.geomspace(10.0, _REACH, 17)[1:]])
_GRID = np.concatenate([-_FAR[::-1], np.linspace(-_CORE, _CORE, 81), _FAR])

Rows = Float[np.ndarray, "rows grid"]


def check_monotone(mechanisms: Sequence[ScalarMap]) -> None:
    """Each mechanism, as a function of its noise, at 64 settings of the noises before it.

    Noises go up to 6 deviations, then wander for four rounds towards the parents where the
    mechanism rises least. Within ±4 it must rise or fall strictly; beyond, where it may saturate
    or overflow, it must not turn back. Where it rises for some parents and falls for others, the
    way between them is searched for a parent at which its slope is 0.
    """
    noise = _settings(len(mechanisms))
    for j, forward in enumerate(mechanisms):
        probe = _probe(mechanisms[: j + 1])
        rows, parents = map(concrete, probe(noise))
        if rows is None or parents is None:
            return
        _check_rows(rows, parents, j)
        if j > 0:
            _check_direction(forward, rows, parents, j)
            _wander(probe, noise, rows, j)


def _settings(m: int) -> Float[np.ndarray, "rows m"]:
    """Noises of up to 6 deviations; half of them as N(0, I) has them, half twice as wide."""
    from scipy.special import ndtri
    from scipy.stats import qmc  # as long to load as JAX

    uniform = qmc.Sobol(m, scramble=True, rng=0).random(_ROWS)
    width = np.where(np.arange(_ROWS) % 2, 2.0, 1.0)[:, None]
    return np.clip(width * ndtri(np.clip(uniform, 1e-3, 1 - 1e-3)), -6, 6)


def _probe(mechanisms: Sequence[ScalarMap]) -> Callable[[np.ndarray], tuple[Array, Array]]:
    """noise ↦ (the last mechanism on the grid, its parents), per row, compiled once."""
    *before, last = mechanisms

    def one(noise: Float[Array, " m"]) -> tuple[Float[Array, " grid"], Float[Array, " j"]]:
        z = noise[:0]
        for forward, eps in zip(before, noise, strict=False):
            z = jnp.append(z, forward(eps, z))
        return jax.vmap(last, (0, None))(jnp.asarray(_GRID, z.dtype), z), z

    compiled = jax.jit(jax.vmap(one))
    return lambda noise: compiled(jnp.asarray(noise))


def _wander(probe: Callable, noise: np.ndarray, rows: Rows, j: int) -> None:
    """Proposals around the settings where the mechanism rises least, ever closer to them."""
    rng = np.random.default_rng(0)
    least = _least_rise(rows)
    for length in np.geomspace(1.0, 0.03, _ROUNDS):
        best = noise[np.argsort(least)[:8]]
        proposal = np.repeat(best, _ROWS // 8, axis=0)
        proposal = np.clip(proposal + length * rng.standard_normal(proposal.shape), -6, 6)
        rows, parents = map(np.asarray, probe(proposal))
        _check_rows(rows, parents, j)
        noise = np.concatenate([best, proposal])
        least = np.concatenate([np.sort(least)[:8], _least_rise(rows)])


def _least_rise(rows: Rows) -> Float[np.ndarray, " rows"]:
    """The smallest step within the core, relative to the mean step of its row."""
    core = rows[:, np.abs(_GRID) <= _CORE]
    usable = np.asarray(np.isfinite(core).all(axis=1))
    steps = np.diff(np.where(usable[:, None], core, 0.0), axis=1)
    mean = np.where(usable, steps.mean(axis=1), 1.0)
    least = (steps * np.sign(mean)[:, None]).min(axis=1) / np.abs(mean)
    return np.where(usable, least, np.inf)  # parents out of range are not worth a visit


def _check_rows(rows: Rows, parents: Float[np.ndarray, "rows j"], j: int) -> None:
    core = np.abs(_GRID) <= _CORE
    for row, at in zip(rows, parents, strict=True):
        if not np.isfinite(at).all():
            continue
        step = np.diff(row[core]) if np.isfinite(row[core]).all() else np.zeros(1)
        rising = bool((step > 0).all())
        if not (rising or (step < 0).all()):
            raise _not_monotone(j, at, _CORE)
        if _turns_back(row, rising=rising):
            raise _not_monotone(j, at, _REACH)


def _turns_back(row: Float[np.ndarray, " grid"], *, rising: bool) -> bool:
    """A step against the row's direction, by more than rounding, between finite values."""
    finite = row[np.isfinite(row)]
    step = np.diff(finite) if rising else -np.diff(finite)
    size = np.maximum(np.abs(finite[1:]), np.abs(finite[:-1]))
    return bool((step < -1e3 * np.finfo(row.dtype).eps * size).any())


def _check_direction(
    forward: ScalarMap, rows: Rows, parents: Float[np.ndarray, "rows j"], j: int
) -> None:
    """Between parents of opposite direction the rise passes 0, unless the direction jumps."""
    core = np.flatnonzero(np.abs(_GRID) <= _CORE)
    usable = np.isfinite(rows[:, core]).all(axis=1) & np.isfinite(parents).all(axis=1)
    rows, parents = rows[usable], parents[usable]
    rises = rows[:, core[-1]] - rows[:, core[0]]
    if not ((rises > 0).any() and (rises < 0).any()):
        return
    low, high = parents[int(np.argmax(rises))], parents[int(np.argmin(rises))]
    rise = jax.jit(lambda z: forward(jnp.asarray(_CORE), z) - forward(jnp.asarray(-_CORE), z))
    size = min(float(rises.max()), -float(rises.min()))
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if rise(middle) > 0 else (low, middle)
    if max(abs(float(rise(low))), abs(float(rise(high)))) < 1e-3 * size:
        raise AssumptionError(
            f"mechanism {j} must be strictly monotone in its own noise; at parents "
            f"{np.round(low, 3).tolist()} its slope is 0, so the noise cannot be recovered (the "
            "SCM is not invertible)."
        )


def _not_monotone(j: int, at: Float[np.ndarray, " j"], reach: float) -> AssumptionError:
    return AssumptionError(
        f"mechanism {j} must be finite and strictly monotone in its own noise; at parents "
        f"{np.round(at, 3).tolist()} and noises within ±{reach:g} it is not, so the noise cannot "
        "be recovered (the SCM is not invertible)."
    )
