"""What a check returns: never a bare yes, always how it was reached."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jax.scipy.special import ndtri
from jaxtyping import Array, Float
from scipy.stats import qmc

from elsewhere.errors import AssumptionError
from elsewhere.model import ILD

NUM_POINTS = 256


@dataclass(frozen=True)
class Verdict:
    """Whether a statement holds, the largest gap found, and how hard it was looked for.

    `exact` verdicts compare closed forms up to rounding; the others compare `num_points` points, so
    a "yes" means no more than "no gap above `tolerance` at these points".
    """

    statement: str
    holds: bool
    largest_gap: float
    tolerance: float
    num_points: int
    exact: bool

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        how = "closed form" if self.exact else f"{self.num_points} points"
        answer = "yes" if self.holds else "no"
        return (
            f"{self.statement}: {answer} (largest gap {self.largest_gap:.3g}, "
            f"tolerance {self.tolerance:.3g}, {how})"
        )


def judge(statement: str, gap: float, tolerance: float, num_points: int) -> Verdict:
    """The verdict "gap <= tolerance"; num_points = 0 says that the gap is a closed form."""
    holds = bool(gap <= tolerance)  # a NaN gap is a no
    return Verdict(statement, holds, float(gap), float(tolerance), num_points, num_points == 0)


def probe_noise(n: int, m: int, spread: float = 1.5) -> Float[Array, "n m"]:
    """n noise points, a little wider than N(0, I_m): Sobol's sequence, the same on every call."""
    with np.errstate(all="ignore"):
        uniform = qmc.Sobol(m, scramble=True, rng=0).random_base2(int(np.ceil(np.log2(n))))[:n]
    return spread * ndtri(jnp.clip(jnp.asarray(uniform), 1e-6, 1 - 1e-6))


def rounding(dtype: np.dtype, *, exact: bool) -> float:
    """The default tolerance: 1e4 units of rounding for closed forms, sqrt(eps)-like for samples."""
    eps = float(jnp.finfo(dtype).eps)
    return 1e4 * eps if exact else float(10 * eps**0.5)


def check_comparable(a: ILD, b: ILD) -> None:
    """Both models must speak of the same domains in the same dimension."""
    if a.m != b.m:
        raise AssumptionError(
            "both ILDs must have one dimension, for they live on the same space; "
            f"got {a.m} and {b.m}."
        )
    if set(a.domains) != set(b.domains):
        raise AssumptionError(
            "both ILDs must have the same domains; only one of them has "
            f"{sorted(map(str, set(a.domains) ^ set(b.domains)))}."
        )


def relative_gap(a: Array | np.ndarray, b: Array | np.ndarray) -> float:
    """max|a − b| / max(|a|, |b|), 0 where both are 0."""
    a, b = np.asarray(a), np.asarray(b)
    scale = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    gap = np.abs(a - b).max(initial=0.0)
    return float(gap / scale if scale > 0 else gap)
