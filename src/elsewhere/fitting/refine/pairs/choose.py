"""How far to believe the pairs: as far as pairs left out are predicted better for it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from elsewhere.fitting.refine.pairs.paired_rows import PairedRows
from elsewhere.fitting.refine.pairs.start import Start

Errors = Float[np.ndarray, " p"]
Parts = list[Int[np.ndarray, " _"]]

NOISES = (0.02, 0.1, 0.5)  # what the pairs' noise may be thought to be, in deviations
FOLDS, KEPT = 5, 3
SURE = 0.5  # standard errors by which a bolder way must predict better
LOOK_ROWS = 6_000  # of all domains together, while the belief is sought


@dataclass(frozen=True)
class Belief:
    """The way that predicts pairs left out best: "as it was", "picked" or "noise 0.1"."""

    chosen: str
    errors: dict[str, float]  # cross-validated mean squared errors, in within-domain variances

    @property
    def picked(self) -> bool:
        """Whether pairs only pick among the unpaired candidates."""
        return self.chosen == "picked"

    @property
    def noise(self) -> float | None:
        """What the refinement supposes; None for no refinement."""
        return float(self.chosen.split()[1]) if self.chosen.startswith("noise") else None


def best_starts(paired: PairedRows, starts: Sequence[Start]) -> list[Start]:
    """The few from which the middle belief leads highest."""
    values = paired.climb(starts, [paired.evidence(NOISES[1])] * len(starts))[1]
    return [starts[i] for i in np.argsort(-values, kind="stable")[:KEPT]]


def believe(
    paired: PairedRows,
    candidates: Sequence[Start],
    starts: Sequence[Start],
    rng: np.random.Generator,
) -> Belief:
    """Leave the fit, pick among its candidates, or refine: what pairs left out speak for.

    A bolder way must predict the pairs left out better by half a standard error of the difference.
    """
    parts = np.array_split(rng.permutation(paired.count), min(FOLDS, paired.count))
    ways = {"as it was": paired.errors(candidates[0]), "picked": _picked(paired, candidates, parts)}
    bold = {f"noise {noise}": _refined(paired, starts, parts, noise) for noise in NOISES}
    chosen, ways = "as it was", ways | bold
    for name in ("picked", min(bold, key=lambda name: bold[name].mean())):
        if _better(ways[name], ways[chosen]):
            chosen = name
    return Belief(chosen, {name: float(errors.mean()) for name, errors in ways.items()})


def _picked(paired: PairedRows, candidates: Sequence[Start], parts: Parts) -> Errors:
    """The error on each pair of the candidate that the other pairs pick."""
    errors, found = [paired.errors(start) for start in candidates], np.empty(paired.count)
    for part in parts:
        best = int(paired.values(candidates, paired.evidence(NOISES[0], part)).argmax())
        found[part] = errors[best][part]
    return found


def _refined(paired: PairedRows, starts: Sequence[Start], parts: Parts, noise: float) -> Errors:
    """The error on each pair of the likeliest model refined on the others."""
    jobs = [(part, start) for part in parts for start in starts]
    evidence = [paired.evidence(noise, part) for part, _ in jobs]
    ends, values = paired.climb([start for _, start in jobs], evidence)
    best = values.reshape(len(parts), -1).argmax(axis=1) + np.arange(len(parts)) * len(starts)
    found = np.empty(paired.count)
    for part, i in zip(parts, best, strict=True):
        found[part] = paired.errors(ends[i])[part]
    return found


def _better(one: Errors, other: Errors) -> bool:
    gain = other - one
    return bool(gain.mean() > SURE * gain.std(ddof=1) / np.sqrt(len(gain)))
