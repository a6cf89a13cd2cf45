"""What a check returns: never a bare yes, always how it was reached."""

from dataclasses import dataclass

from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.theory.climb import REACH
from elsewhere.theory.rounding import check_tolerance
from elsewhere.theory.search import RESOLVED, LargestGap


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, the largest gap found, and how hard it was looked for.

    Gaps are in deviations of the noise, or in nats, so no unit of a column or a latent matters.
    `exact` verdicts compare closed forms up to rounding of the models' dtype; the others compare
    `num_points` points and climb from the worst of them `num_climbs` times, so a "yes" means no
    more than "no gap above `tolerance` was found there". Where rounding alone may exceed
    `RESOLVED`, the models are too ill-conditioned for their dtype: `decided` is then False, and
    `holds` as well.
    """

    statement: str
    holds: bool
    largest_gap: float
    tolerance: float
    num_points: int
    exact: bool
    num_climbs: int = 0
    decided: bool = True

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        answer = ("yes" if self.holds else "no") if self.decided else "cannot tell in this dtype"
        return (
            f"{self.statement}: {answer} (largest gap {self.largest_gap:.3g}, "
            f"tolerance {self.tolerance:.3g}, {self._looked_at()})"
        )

    def _looked_at(self) -> str:
        if self.exact:
            return "closed form"
        return (
            f"{self.num_points:,} points and {self.num_climbs} climbs from the worst of them, "
            f"noise within {REACH:g} deviations"
        )


def judge(statement: str, gap: float, tolerance: float | None, rounding: float) -> Verdict:
    """The verdict "gap <= tolerance" on a closed form; tolerance None stands for its rounding."""
    check_tolerance(tolerance)
    limit = rounding if tolerance is None else tolerance
    decided = tolerance is not None or not gap <= limit or limit <= RESOLVED
    holds = decided and bool(gap <= limit)  # a NaN gap is a no
    return Verdict(statement, holds, float(gap), float(limit), 0, True, decided=bool(decided))


def judge_found(statement: str, found: LargestGap) -> Verdict:
    """The verdict on a search: "no" where a component's gap exceeds its tolerance."""
    worst = found.worst
    gap, limit = float(found.gaps[worst]), float(found.tolerances[worst])
    differs = not gap <= limit
    decided = differs or found.resolved
    holds = decided and not differs
    return Verdict(statement, holds, gap, limit, found.num_points, False, found.num_climbs, decided)


def check_comparable(a: ILD, b: ILD) -> None:
    """Both models must have the same domains and the same dimension."""
    if a.m != b.m:
        raise AssumptionError(
            "both ILDs must have one dimension, because they live on the same space; "
            f"got {a.m} and {b.m}."
        )
    if set(a.domains) != set(b.domains):
        raise AssumptionError(
            "both ILDs must have the same domains; only one of them has "
            f"{sorted(map(str, set(a.domains) ^ set(b.domains)))}."
        )
