"""Data that meet each comparator's assumptions, with the truth: x_{d→d'} keeps the noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Noise = Float[np.ndarray, "n m"]
Mechanisms = Callable[[Noise, int], Float[np.ndarray, "n m"]]  # (ε, d) ↦ z
M = 4
GRAPH = ((), (0,), (0,), (1, 2))


@dataclass(frozen=True)
class World:
    """Rows of every domain, and of others their counterfactuals.

    Attributes:
        train: rows by domain, [D, n, m].
        test: others, [D, t, m].
        truth: x_{d→d'} of `test[d]` at [d, d'], [D, D, t, m].
        pairs: per domain but the first, rows of the first and the same there; where one latent is
            intervened on, with its noise drawn anew.
        graph: the parents of every column, where columns are the causal variables.
    """

    train: Float[np.ndarray, "D n m"]
    test: Float[np.ndarray, "D t m"]
    truth: Float[np.ndarray, "D D t m"]
    pairs: tuple[tuple[np.ndarray, np.ndarray], ...]
    graph: tuple[tuple[int, ...], ...] | None = None


def graph_world(rng: np.random.Generator, n: int) -> World:
    """x_j = Σ w tanh(x_i) + b + e^{0.3 tanh(Σ v x_i)} u_j over a given graph; two nodes change."""
    return _observed(rng, n, GRAPH, (1, 3), _skewed)


def flow_world(rng: np.random.Generator, n: int) -> World:
    """The same over the complete graph in the columns' order, Laplace noise; all nodes change."""
    return _observed(rng, n, tuple(tuple(range(j)) for j in range(M)), range(M), _laplace)


def atomic_world(rng: np.random.Generator, n: int) -> World:
    """x = G z, z linear and normal; domain k cuts one latent off its causes."""
    return _atomic(rng, n, 0.0)


def nonlinear_atomic_world(rng: np.random.Generator, n: int) -> World:
    """x = G z, the last two latents quadratic in the first two; domain k cuts one latent off."""
    return _atomic(rng, n, 0.4)


def weights_world(rng: np.random.Generator, n: int) -> World:
    """x = G z, z_j = Σ w_ij(d) z_i + b_j(d) + ε_j: all weights and offsets change, no noise."""
    weights, offsets = rng.standard_normal((M + 1, M, M)), rng.standard_normal((M + 1, M))

    def mechanisms(eps: Noise, d: int) -> Noise:
        return np.linalg.solve(np.eye(M) - np.tril(weights[d], -1), (eps + offsets[d]).T).T

    return made(rng, n, M + 1, mechanisms, _linear(rng), _normal)


WORLDS: dict[str, Callable[[np.random.Generator, int], World]] = {
    "bijective": graph_world,
    "affine_flow": flow_world,
    "linear_disentanglement": atomic_world,
    "score_based": nonlinear_atomic_world,
    "weight_varying": weights_world,
    "with_pairs": atomic_world,
}


def made(
    rng: np.random.Generator,
    n: int,
    num_domains: int,
    mechanisms: Mechanisms,
    mixing: Callable[[Noise], Noise],
    noise: Callable[[np.random.Generator, int], Noise],
    targets: tuple[int | None, ...] | None = None,
    graph: tuple[tuple[int, ...], ...] | None = None,
) -> World:
    """n rows per domain to fit, 1,000 to ask, 200 pairs; `targets` have fresh noise in pairs."""
    every = range(num_domains)
    train = np.stack([mixing(mechanisms(noise(rng, n), d)) for d in every])
    asked = [noise(rng, 1_000) for _ in every]
    truth = np.stack([[mixing(mechanisms(eps, e)) for e in every] for eps in asked])
    test = truth[np.arange(num_domains), np.arange(num_domains)]
    pairs = []
    for d in every[1:]:
        eps, fresh = noise(rng, 200), noise(rng, 200)
        after = eps.copy()
        if targets is not None and targets[d] is not None:
            after[:, targets[d]] = fresh[:, targets[d]]
        pairs.append((mixing(mechanisms(eps, 0)), mixing(mechanisms(after, d))))
    return World(train, test, truth, tuple(pairs), graph)


def _observed(
    rng: np.random.Generator,
    n: int,
    graph: tuple[tuple[int, ...], ...],
    changed: Sequence[int],
    noise: Callable[[np.random.Generator, int], Noise],
) -> World:
    shared, own = _draw_nodes(rng), [_draw_nodes(rng) for _ in range(3)]
    rows = np.isin(np.arange(M), list(changed))
    sets = [np.where(rows[:, None], mine, shared) for mine in own]

    def mechanisms(eps: Noise, d: int) -> Noise:
        w, v, b = sets[d][:, :M], sets[d][:, M:-1], sets[d][:, -1]
        x = np.zeros_like(eps)
        for j, parents in enumerate(graph):
            behind = x[:, list(parents)]
            scale = np.exp(0.3 * np.tanh(behind @ v[j, list(parents)]))
            x[:, j] = np.tanh(behind) @ w[j, list(parents)] + b[j] + scale * eps[:, j]
        return x

    return made(rng, n, 3, mechanisms, lambda x: x, noise, graph=graph)


def _draw_nodes(rng: np.random.Generator) -> Float[np.ndarray, "m 2*m+1"]:
    """Per node: weights of the location, of the scale, and the offset."""
    sizes = rng.uniform(0.7, 1.5, (M, M)) * rng.choice([-1, 1], (M, M))
    return np.column_stack([sizes, rng.standard_normal((M, M)), rng.uniform(-1.5, 1.5, M)])


def _atomic(rng: np.random.Generator, n: int, bend: float) -> World:
    weights = np.tril(rng.uniform(0.5, 1.2, (M, M)) * rng.choice([-1, 1], (M, M)), -1)
    targets = (None, *(int(j) for j in rng.permutation(M)))
    scales = rng.choice([0.4, 2.0], M + 1) * rng.uniform(0.8, 1.2, M + 1)
    offsets = rng.uniform(-2, 2, M + 1)

    def mechanisms(eps: Noise, d: int) -> Noise:
        z = np.zeros_like(eps)
        for j in range(M):
            square = z[:, :2] ** 2 - 1 if j >= 2 else 0 * z[:, :2]  # bends no latent twice
            bent = np.column_stack([z[:, :2] + bend * square, z[:, 2:]])
            usual = bent[:, :j] @ weights[j, :j] + eps[:, j]
            z[:, j] = scales[d] * eps[:, j] + offsets[d] if targets[d] == j else usual
        return z

    return made(rng, n, M + 1, mechanisms, _linear(rng), _normal, targets)


def _linear(rng: np.random.Generator) -> Callable[[Noise], Noise]:
    G = rng.standard_normal((M, M))
    return lambda z: z @ G.T


def _normal(rng: np.random.Generator, n: int) -> Noise:
    return rng.standard_normal((n, M))


def _laplace(rng: np.random.Generator, n: int) -> Noise:
    return rng.laplace(size=(n, M)) / np.sqrt(2)


def _skewed(rng: np.random.Generator, n: int) -> Noise:
    """Of mean 0 and variance 1."""
    return (rng.gamma(2.0, size=(n, M)) - 2) / np.sqrt(2)
