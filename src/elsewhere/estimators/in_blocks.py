"""A fitted model on many rows, in blocks of few shapes, so that little compiles."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray, Codes
from elsewhere.errors import AssumptionError
from elsewhere.movers import Density, Mover, PlainMover

Rows = Float[np.ndarray, "n m"]
SIZES = (64, 512, 4_096, 32_768)  # rows of a block

Question = Callable[[Mover, Rows, Hashable], np.ndarray]


def by_domain(model: Mover, y: Rows, codes: Codes, question: Question) -> np.ndarray:
    """question(model, rows, d) of each row, d being the domain at its code."""
    present = np.flatnonzero(np.bincount(codes))
    parts = {i: question(model, y[codes == i], model.domains[i]) for i in present}
    first = next(iter(parts.values()), np.zeros(0))
    answer = np.empty((len(y), *first.shape[1:]))
    for i, part in parts.items():
        answer[codes == i] = part
    return answer


def move_by_row(model: Mover, y: Rows, codes: Codes, codes_prime: Codes) -> Rows:
    """y_{d→d'} with d and d' given by row; rows whose d is d' stay as they are."""
    return move_by_target(dict.fromkeys(model.domains, model), y, codes, codes_prime)


def move_by_target(
    models: Mapping[Hashable, Mover], y: Rows, codes: Codes, codes_prime: Codes
) -> Rows:
    """As `move_by_row`, by the model that stands at d'; the domains are in the order of these."""

    def answer(rows: Rows, *, d: Hashable, d_prime: Hashable) -> Rows:
        return rows if d == d_prime else move(models[d_prime], rows, d, d_prime)

    return by_pair(answer, y, codes, codes_prime, tuple(models))


def by_pair(
    question: Callable[..., Rows],
    y: Rows,
    codes: Codes,
    codes_prime: Codes,
    domains: Sequence[Hashable],
) -> Rows:
    """question(rows, d=…, d_prime=…) of each row, the domains being those at its codes."""
    answer, count = np.empty_like(y), len(domains)
    pairs = codes * count + codes_prime
    present = [divmod(int(pair), count) for pair in np.flatnonzero(np.bincount(pairs))]
    if len(present) == 1:
        i, j = present[0]
        return question(y, d=domains[i], d_prime=domains[j])
    for i, j in present:
        rows = (codes == i) & (codes_prime == j)
        answer[rows] = question(y[rows], d=domains[i], d_prime=domains[j])
    return answer


def move(model: Mover, y: Rows, d: Hashable, d_prime: Hashable) -> Rows:
    """y_{d→d'}: in NumPy where all of it is affine or leaky, which needs no compilation."""
    plain = model.plain_move(d=d, d_prime=d_prime) if isinstance(model, PlainMover) else None
    if plain is not None:
        return plain(y)
    return _in_blocks(model, y, lambda block: model.move(block, d=d, d_prime=d_prime))


def noise(model: Mover, y: Rows, d: Hashable) -> Rows:
    """ε = f_d⁻¹(g⁻¹(y))."""
    known = with_density(model)
    return _in_blocks(model, y, lambda block: known.noise(block, d=d))


def made(model: Mover, eps: Rows, d: Hashable) -> Rows:
    """y = g(f_d(ε))."""
    known = with_density(model)
    return _in_blocks(model, eps, lambda block: known.made(block, d=d))


def log_density(model: Mover, y: Rows, d: Hashable) -> Float[np.ndarray, " n"]:
    """log p_d(y)."""
    known = with_density(model)
    return _in_blocks(model, y, lambda block: known.log_density(block, d=d))


def with_density(model: Mover) -> Density:
    """The model, if it knows a density and the noise behind each row."""
    if isinstance(model, Density):
        return model
    raise AssumptionError(
        f"log_prob, abduct and sample need a model with a density; a {type(model).__name__} only "
        "moves rows between domains. Use counterfactual, or fit with mixing 'linear' or 'leaky'."
    )


def _in_blocks(model: Mover, y: Rows, answer: Callable[[Any], AnyArray]) -> np.ndarray:
    """The answers in the model's own precision, whatever the session's, and so always the same.

    A model without a `dtype` computes in NumPy, and needs neither blocks nor padding.
    """
    dtype = getattr(model, "dtype", None)
    if dtype is None:
        return np.asarray(answer(y), float)
    import jax
    import jax.numpy as jnp

    with jax.enable_x64(dtype == jnp.float64):
        parts = [
            np.asarray(answer(jnp.asarray(block, dtype)), float)[:count]
            for block, count in _blocks(y)
        ]
    return np.concatenate(parts)


def _blocks(y: Rows) -> Iterator[tuple[Rows, int]]:
    """The rows in blocks, each filled up with zeros to one of the sizes; and how many are real."""
    for start in range(0, max(len(y), 1), SIZES[-1]):
        part = y[start : start + SIZES[-1]]
        size = next(size for size in SIZES if size >= len(part))
        yield np.pad(part, ((0, size - len(part)), (0, 0))), len(part)
