"""How far answers of few changed mechanisms may be off, as a map by moments tells."""

from collections.abc import Hashable

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.fitting.engine import FitResult
from elsewhere.fitting.moments.affine_map import AffineMap


def error_of_mechanisms(
    result: FitResult, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
) -> Float[np.ndarray, "n m"]:
    """√(k/m · sampling² + open² + doubt · (x_{d→d'} − that of the map)²).

    A map by moments has parameters of its own in every column, mechanisms in k of m. Kinks fix the
    axes; with a linear mixing, what covariances leave open of a turn stays open in the block that
    changes. If the noise of the mechanisms is not alike in all domains, they are not all there is
    to explain, and the map that is not asked to be sparse shows how much that may matter.
    """
    known = result.simpler
    if not isinstance(known, AffineMap):
        return np.asarray(known.standard_error(x, d=d, d_prime=d_prime))  # type: ignore[union-attr]
    sampling, open_ = known.variances_of(x, d=d, d_prime=d_prime)
    share = known.m if result.k is None else result.k
    variance = sampling * share / known.m
    if getattr(result.engine, "mixing", "") == "linear":
        variance = variance + open_
    if result.doubt:
        answers = [model.move(x, d=d, d_prime=d_prime) for model in result.preferred]
        apart = np.mean(answers, axis=0) - known.move(x, d=d, d_prime=d_prime)
        variance = variance + result.doubt * apart**2
    return np.sqrt(variance)
