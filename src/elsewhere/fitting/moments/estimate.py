"""From tables of several domains to the affine map between them, in closed form."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from threadpoolctl import threadpool_limits

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.constant_columns import varied
from elsewhere.fitting.moments.differences import Chances, domains_differ
from elsewhere.fitting.moments.directions import NARROW, told_directions
from elsewhere.fitting.moments.effects import (
    LEVEL_OF_DIFFERENT,
    LEVEL_OF_FEW,
    Effects,
    effects_by_domain,
    left_out,
    level_for,
    means_by_chance,
)
from elsewhere.fitting.moments.gains import with_gains
from elsewhere.fitting.moments.parts import parts_of, together
from elsewhere.fitting.moments.permutation import LEVEL
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.moments.turns import shrunken_turns
from elsewhere.fitting.units import Units

LARGEST_SCALE = 1.0  # the variance of L: without rows, scales are taken to be within e^±1


@threadpool_limits.wrap(limits=1, user_api="blas")  # thousands of small matrices: threads only wait
def affine_map(
    tables: Mapping[Hashable, Float[np.ndarray, "_ p"]],
    carried: float = 0.5,
    units: Units | None = None,
    effects: Callable[..., Effects] = effects_by_domain,
    known: Chances = Chances(),  # noqa: B008, a tuple
    counts: Sequence[int] | None = None,
) -> AffineMap:
    """x = c + s e^{L_d}(A_d u + δ_d): first the scales L, then the offsets δ, then the turns A.

    Each is estimated given those before it and shrunken towards none; see `shrunken_effects`. Where
    chance explains all differences, none is used. Where it does not, a narrow table has offsets and
    scales as large as its rows show: shrinkage decides, and no further test. In a wide table each
    is used only where chance does not explain it; and turns in any, for a single row can make one.

    Args:
        tables: the rows of every domain.
        carried: the share of what the codes of a wide table leave out that moves along.
        units: what 1 and 0 of each column are, where that is known: all may then be off by one
            amount, and each may be multiplied.
        effects: from estimates for every domain to what is known of them.
        known: p-values, where they are known; offsets that have one are to be used.
        counts: how many rows each domain has, where the tables are a sample of them.
    """
    tables = varied(tables)
    seen = Statistics(list(tables.values()), counts)
    untested = effects is effects_by_domain and _all_used(seen, known)
    judged = {} if known.scales is None else {"p": known.scales}
    scales = _every_scale(seen, units, judged) if untested else _scales(effects, seen, judged)
    if units is not None and units.ratios is not None:
        scales = left_out(scales, units.ratios)
    own = np.exp(-scales.means)
    unit = _unit(seen, own)
    plain = parts_of(lambda r, o: _scaled(r, o, unit), seen.residuals, own)
    rows = parts_of(lambda r, w: np.multiply(r, w, out=r), plain, seen.weights)
    weights = seen.counts[:, None] * own / unit
    centre = (weights * seen.means).sum(axis=0) / weights.sum(axis=0)
    placed = parts_of(lambda t, o: _scaled(t - centre, o, unit), seen.tables, own)
    means = own * (seen.means - centre) / unit
    common = None if units is None else np.where(seen.varies, 1 / (units.shared * unit), 0.0)
    level = 1.0 if untested else level_for(seen.counts)
    given: dict[str, Any] = {"level": level, "scales": 1 / own, "pattern": common}
    given |= {} if known.offsets is None else {"p": known.offsets, "level": 1.0}
    offsets = effects(means, rows, seen.counts, placed, **given)
    codes = told_directions(together(rows), seen.freedom)
    turns = shrunken_turns(plain, codes, seen.counts, known.turns)
    variances = codes.variances if len(unit) <= NARROW else codes.signal
    return AffineMap(
        domains=tuple(tables),
        centre=centre,
        unit=unit,
        offsets=offsets,
        scales=scales,
        codes=codes.basis,
        turns=turns,
        carried=_share_carried(carried, len(unit), scales, turns),
        code_variances=variances,
        reliability=codes.reliability,
        own=_left_out(rows, codes.basis, variances, seen.freedom),
    )


def _scaled(
    rows: Float[np.ndarray, "_ p"], own: Float[np.ndarray, " p"], unit: Float[np.ndarray, " p"]
) -> Float[np.ndarray, "_ p"]:
    """rows · own/unit, in the memory of the rows."""
    rows *= own
    rows /= unit
    return rows


def _all_used(seen: Statistics, known: Chances) -> bool:
    """Whether shrinkage alone decides: the table is narrow, no site tiny, and domains differ."""
    narrow = len(seen.pooled) <= NARROW and level_for(seen.counts) != LEVEL_OF_FEW
    return narrow and domains_differ(seen, known)


def _every_scale(seen: Statistics, units: Units | None, judged: Mapping[str, Any]) -> Effects:
    """As large as rows show, with gains where columns have a zero."""
    deviations = seen.log_deviations, seen.deviation_influences, seen.counts_for_deviations
    found = effects_by_domain(*deviations, seen.distances, LARGEST_SCALE, level=1.0, **judged)
    if units is None or units.zeros is None:
        return found
    return with_gains(found, seen, units.zeros, LARGEST_SCALE)


def _scales(
    effects: Callable[..., Effects], seen: Statistics, judged: Mapping[str, Any]
) -> Effects:
    """Used at LEVEL; at LEVEL_OF_DIFFERENT where means differ, so that nothing is no answer.

    Where only one domain has more than a few rows, they show a scale at LEVEL or not at all.
    """
    deviations = seen.log_deviations, seen.deviation_influences, seen.counts_for_deviations
    highest = LEVEL if level_for(seen.counts) == LEVEL_OF_FEW else LEVEL_OF_DIFFERENT
    found = effects(*deviations, seen.distances, LARGEST_SCALE, highest, **judged)
    if LEVEL < found.p_value <= highest and means_by_chance(seen.tables) > LEVEL:
        return effects(*deviations, seen.distances, LARGEST_SCALE, LEVEL, **judged)
    return found


def _unit(seen: Statistics, own: Float[np.ndarray, "D p"]) -> Float[np.ndarray, " p"]:
    """The deviation within domains once their scales are taken out."""
    parts = zip(seen.residuals, own, seen.weights**2, strict=True)
    squares = [((r * o) ** 2).sum(axis=0) * w for r, o, w in parts]
    unit = np.sqrt(np.sum(squares, axis=0) / seen.freedom)
    return np.where(unit > 0, unit, 1.0)


def _share_carried(carried: float, p: int, scales: Effects, turns: Effects) -> float:
    """All of a narrow table, and where domains differ by offsets at most."""
    return carried if p > NARROW and (scales.supported or turns.supported) else 1.0


def _left_out(
    rows: Sequence[Float[np.ndarray, "_ p"]],
    basis: Float[np.ndarray, "p r"],
    variances: Float[np.ndarray, " r"],
    freedom: int,
) -> Float[np.ndarray, " p"]:
    """The variance of each column that the codes do not explain."""
    total = np.sum([np.einsum("np,np->p", r, r) for r in rows], axis=0) / freedom
    return np.maximum(total - basis**2 @ variances, 0.0)
