"""Questions to a fitted model about many rows, in blocks of few shapes, so that little compiles."""

from collections.abc import Callable, Hashable, Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from elsewhere.bijections import pull, push
from elsewhere.model import ILD
from elsewhere.queries import log_prob_rows, move_rows

Codes = Int[np.ndarray, " n"]
Rows = Float[np.ndarray, "n m"]
SIZES = (64, 512, 4_096, 32_768)  # rows of a block

Question = Callable[[ILD, Rows, Hashable], np.ndarray]


def by_domain(model: ILD, y: Rows, codes: Codes, question: Question) -> np.ndarray:
    """question(model, rows, d) of each row, d being the domain at its code."""
    present = np.flatnonzero(np.bincount(codes))
    parts = {i: question(model, y[codes == i], model.domains[i]) for i in present}
    first = next(iter(parts.values()), np.zeros(0))
    answer = np.empty((len(y), *first.shape[1:]))
    for i, part in parts.items():
        answer[codes == i] = part
    return answer


def move_between(model: ILD, y: Rows, codes: Codes, codes_prime: Codes) -> Rows:
    """y_{d→d'} with d and d' given by row; rows whose d is d' stay as they are."""
    answer = y.copy()
    pairs, count = codes * model.num_domains + codes_prime, model.num_domains
    for i, j in (divmod(int(pair), count) for pair in np.flatnonzero(np.bincount(pairs))):
        if i == j:
            continue
        rows = (codes == i) & (codes_prime == j)
        answer[rows] = move(model, y[rows], model.domains[i], model.domains[j])
    return answer


def move(model: ILD, y: Rows, d: Hashable, d_prime: Hashable) -> Rows:
    """y_{d→d'}."""
    return _in_blocks(model, y, lambda block: move_rows(model, block, d=d, d_prime=d_prime))


def noise(model: ILD, y: Rows, d: Hashable) -> Rows:
    """ε = f_d⁻¹(g⁻¹(y))."""
    return _in_blocks(model, y, lambda block: pull(model.scm(d), pull(model.mixing, block)))


def made(model: ILD, eps: Rows, d: Hashable) -> Rows:
    """y = g(f_d(ε))."""
    return _in_blocks(model, eps, lambda block: push(model.mixing, push(model.scm(d), block)))


def log_density(model: ILD, y: Rows, d: Hashable) -> Float[np.ndarray, " n"]:
    """log p_d(y)."""
    return _in_blocks(model, y, lambda block: log_prob_rows(model, block, d=d))


def _in_blocks(model: ILD, y: Rows, answer: Callable[[Array], Array]) -> np.ndarray:
    """The answers in the model's own precision, whatever the session's, and so always the same."""
    with jax.enable_x64(model.dtype == jnp.float64):
        parts = [
            np.asarray(answer(jnp.asarray(block, model.dtype)), float)[:count]
            for block, count in _blocks(y)
        ]
    return np.concatenate(parts)


def _blocks(y: Rows) -> Iterator[tuple[Rows, int]]:
    """The rows in blocks, each filled up with zeros to one of the sizes; and how many are real."""
    for start in range(0, max(len(y), 1), SIZES[-1]):
        part = y[start : start + SIZES[-1]]
        size = next(size for size in SIZES if size >= len(part))
        yield np.pad(part, ((0, size - len(part)), (0, 0))), len(part)
