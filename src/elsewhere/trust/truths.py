"""Truths to plant: domains that differ by offsets, by scales as well, or by any affine map."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.effects import Effects
from elsewhere.fitting.moments.turns import log_least_change

Rows = Float[np.ndarray, "_ p"]
Tables = Mapping[Hashable, Rows]
OFFSETS, SCALES, AFFINE = "offsets", "offsets and scales", "an affine map"


@dataclass(frozen=True)
class Differences:
    """Of every domain from the mean of all: of means, of log deviations, of covariances."""

    offsets: Float[np.ndarray, "D p"]
    scales: Float[np.ndarray, "D p"]
    turns: Float[np.ndarray, "D r r"]

    def shrunken(self, chance: "Differences") -> "Differences":
        """Each kind scaled to the mean square that chance leaves over; 0 where it leaves none."""
        kinds = ((self.offsets, chance.offsets), (self.scales, chance.scales))
        offsets, scales = (_shrunken(seen, by_chance) for seen, by_chance in kinds)
        return Differences(offsets, scales, _shrunken(self.turns, chance.turns))


def truths(tables: Tables, model: AffineMap, rng: np.random.Generator) -> dict[str, AffineMap]:
    """Each explanation of the ladder, as large as these rows have it beyond chance.

    Args:
        tables: rows of every domain.
        model: the fitted map, whose centre, units and codes are kept.
        rng: of the rows that change places, which tell what chance brings.
    """
    seen = differences(tables, model)
    real = seen.shrunken(differences(_exchanged(tables, rng), model))
    nothing = Differences(0 * real.offsets, 0 * real.scales, 0 * real.turns)
    ladder = {
        OFFSETS: (replace(nothing, offsets=real.offsets), real.offsets),
        SCALES: (replace(nothing, offsets=real.offsets, scales=real.scales), real.scales),
        AFFINE: (real, real.turns),
    }
    return {name: _with(model, tables, d) for name, (d, new) in ladder.items() if new.any()}


def differences(tables: Tables, model: AffineMap) -> Differences:
    """What tells the domains apart, in the units and codes of the map."""
    rows = [(table - model.centre) / model.unit for table in tables.values()]
    counts = np.array([len(table) for table in rows])
    offsets = np.stack([table.mean(axis=0) for table in rows])
    residuals = [table - mean for table, mean in zip(rows, offsets, strict=True)]
    scales = np.stack([_log_deviations(r) for r in residuals])
    scales = scales - scales[counts > 2].mean(axis=0) if (counts > 2).any() else 0 * scales
    scales[counts <= 2] = 0
    plain = [r * np.exp(-s) for r, s in zip(residuals, scales, strict=True)]
    turns = np.stack([_turn(r @ model.codes, model.code_variances) for r in plain])
    return Differences(offsets - offsets.mean(axis=0), scales, turns - turns.mean(axis=0))


def _log_deviations(residuals: Rows) -> Float[np.ndarray, " p"]:
    variance = (residuals**2).sum(axis=0) / max(len(residuals) - 1, 1)
    return 0.5 * np.log(np.maximum(variance, 1e-6))


def _turn(coded: Rows, variances: Float[np.ndarray, " r"]) -> Float[np.ndarray, "r r"]:
    """G with exp(G) Λ exp(G) = Cov(codes); 0 where rows are too few for it."""
    free = len(coded) - 1
    if free <= len(variances) + 1 or not len(variances):
        return np.zeros((len(variances),) * 2)
    return log_least_change(variances, coded.T @ coded / free, float(free))


def _exchanged(tables: Tables, rng: np.random.Generator) -> dict[Hashable, Rows]:
    """The rows of all domains, each about its own mean, dealt out anew."""
    every = rng.permutation(np.concatenate([t - t.mean(axis=0) for t in tables.values()]))
    ends = np.cumsum([len(table) for table in tables.values()])[:-1]
    return dict(zip(tables, np.split(every, ends), strict=True))


def _shrunken(seen: np.ndarray, by_chance: np.ndarray) -> np.ndarray:
    total, chance = (seen**2).sum(), (by_chance**2).sum()
    return seen * np.sqrt(max(0.0, 1 - chance / total)) if total > 0 else seen


def _with(model: AffineMap, tables: Tables, real: Differences) -> AffineMap:
    """The map with these differences, of which nothing is unknown."""
    return replace(
        model,
        domains=tuple(tables),
        offsets=_known(real.offsets),
        scales=_known(real.scales),
        turns=_known(real.turns),
    )


def _known(means: np.ndarray) -> Effects:
    weights = np.zeros((1, len(means)))
    return Effects(means, np.zeros((1, *means.shape[1:])), weights, 0.0)
