"""The counterfactual error, in NumPy, for any method that answers with arrays."""

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike


def counterfactual_error(estimated: ArrayLike, true: ArrayLike) -> float:
    """mean over d ≠ d', rows and coordinates of (x̂_{d→d'} − x_{d→d'})².

    The paper's printed sum, 2/(D(D − 1)) Σ ‖·‖², is 2 m times this one.

    Args:
        estimated: x̂_{d→d'} at [d, d'], shape [D, D, n, m]; the diagonal is not read.
        true: x_{d→d'} of the same rows, the same shape.

    >>> import numpy as np
    >>> counterfactual_error(np.full((2, 2, 1, 3), 2.0), np.zeros((2, 2, 1, 3)))
    4.0
    """
    target = _pairs("true", true)
    guess = _pairs("estimated", estimated)
    if guess.shape != target.shape:
        raise ValueError(
            f"estimated must have the shape of true, {target.shape}; got {guess.shape}."
        )
    apart = ~np.eye(len(target), dtype=bool)
    return float(np.mean((guess[apart] - target[apart]) ** 2))


def normalised_error(estimated: ArrayLike, true: ArrayLike, x: ArrayLike) -> float:
    """error(x̂)/error(x): 0 is perfect, 1 is no better than leaving every row as it is.

    Args:
        estimated: x̂_{d→d'} at [d, d'], shape [D, D, n, m].
        true: x_{d→d'} of the same rows, the same shape.
        x: the rows themselves, shape [D, n, m].
    """
    target, rows = _pairs("true", true), np.asarray(x, float)
    if rows.shape != target.shape[1:]:
        raise ValueError(f"x must have shape [D, n, m] = {target.shape[1:]}; got {rows.shape}.")
    unchanged = np.broadcast_to(rows[:, None], target.shape)
    nothing = counterfactual_error(unchanged, target)
    if nothing == 0:
        raise ValueError(
            "true must differ from x somewhere: these domains are equal, so that doing nothing "
            "has error 0. Use counterfactual_error."
        )
    return counterfactual_error(estimated, target) / nothing


def _pairs(name: str, value: ArrayLike) -> Float[np.ndarray, "D D n m"]:
    array = np.asarray(value, float)
    if array.ndim != 4 or array.shape[0] != array.shape[1] or array.shape[0] < 2:
        raise ValueError(
            f"{name} must have shape [D, D, n, m] with at least 2 domains; got {array.shape}."
        )
    if array.size == 0:
        raise ValueError(f"{name} must hold at least one row and column; got {array.shape}.")
    return array
