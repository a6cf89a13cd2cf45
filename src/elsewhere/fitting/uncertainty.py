"""How far answers may be off, beside what candidates show."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.fitting.result import FitResult, Uncertain

Rows = Float[np.ndarray, "n m"]
LAYERS = {"leaky": 1, "two leaky layers": 2}  # of mixings with kinks


@runtime_checkable
class ByMoments(Mover, Protocol):
    """A map by moments, which knows the two parts of its variance apart."""

    m: int

    def variances_of(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> tuple[Rows, Rows]:
        """(that of few rows, that of what covariances leave open)."""
        ...


def standard_error(
    result: "FitResult",
    known: "Uncertain",
    x: Float[AnyArray, "n m"],
    *,
    d: Hashable,
    d_prime: Hashable,
) -> Rows:
    """√(known² + doubt · (x_{d→d'} − that of the other explanation)²).

    If the noise that the candidates find is not alike in all domains, they do not explain all, and
    the explanation that was not taken shows how much that may matter.
    """
    if known is not result.model and isinstance(known, ByMoments):
        variance = _of_mechanisms(result, known, x, d, d_prime)
    else:
        variance = np.asarray(known.standard_error(x, d=d, d_prime=d_prime)) ** 2
    if result.doubt and result.simpler is not None:
        answers = [np.asarray(m.move(x, d=d, d_prime=d_prime)) for m in result.preferred]
        other = np.asarray(result.simpler.move(x, d=d, d_prime=d_prime))
        variance = variance + result.doubt * (np.mean(answers, axis=0) - other) ** 2
    return np.sqrt(variance)


def _of_mechanisms(
    result: "FitResult", known: ByMoments, x: Float[AnyArray, "n m"], d: Hashable, d_prime: Hashable
) -> Rows:
    """The share of the variance of few rows that mechanisms have, and what covariances leave open.

    A map by moments has m (m + 3)/2 numbers for each domain; k mechanisms have k/m of these. A
    leaky layer has m (m + 1) more, which D domains tell together and through which a row goes in
    and out: 2 (m + 1)/(D (m + 3)) of them. Kinks fix the axes, in which nothing else is open.
    What the axes of a linear mixing err by counts as one mechanism, and covariances leave open no
    more than the block of k latents. Curves have as many times the numbers; they fix the axes only
    as far as they are the true ones, and so all is left open.
    """
    few, left_open = known.variances_of(x, d=d, d_prime=d_prime)
    m, D = known.m, len(known.domains)
    k = m if result.k is None else result.k
    mixing = getattr(result.engine, "mixing", "")
    if mixing in LAYERS:
        return (k / m + LAYERS[mixing] * 2 * (m + 1) / (D * (m + 3))) * few
    share = min(1.0, (k + 1) / m)
    if mixing == "linear":
        return share * few + k / m * left_open
    return share * getattr(result.engine, "curves", 1) * few + left_open
