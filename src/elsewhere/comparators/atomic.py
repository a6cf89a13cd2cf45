"""Latents behind a linear mixing, from domains that each intervene on one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from jaxtyping import Float

from elsewhere.comparators.autoregressive import AutoregressiveMap, all_before
from elsewhere.comparators.interface import Assumption, Samples
from elsewhere.comparators.nodes import Base, Node, fit_node
from elsewhere.errors import AssumptionError

MOST_ORDERED = 6  # latents whose orders are all tried
ROWS = 1_000  # per domain, on which orders are compared


@dataclass(frozen=True)
class Latents:
    """z = H x with the causes first, and the domain that intervenes on each.

    Attributes:
        to_latent: H, [m, m].
        domains: of each latent, the position of the domain that intervenes on it.
        second: of each latent, how far its change is from one direction beyond the earlier ones:
            the second singular value over the first.
    """

    to_latent: Float[np.ndarray, "m m"]
    domains: tuple[int, ...]
    second: tuple[float, ...]


Fit = Callable[[Samples, Latents], AutoregressiveMap]


def likeliest_latents(
    changes: Float[np.ndarray, "m m m"], samples: Samples, root: Float[np.ndarray, "m m"], fit: Fit
) -> tuple[Latents, AutoregressiveMap]:
    """The latents and mechanisms of highest likelihood over the orders of the interventions.

    With enough rows, ranks show the order; with few, a weak second direction is overlooked.
    """
    orders = permutations(range(1, len(changes) + 1))
    every = [latents_in_order(changes, samples, root, order) for order in orders]
    few = [x[:ROWS] for x in samples]
    best = max(every, key=lambda one: _value(fit(few, one)))
    return best, fit(samples, best)


def latents_in_order(
    changes: Float[np.ndarray, "m m m"],
    samples: Samples,
    root: Float[np.ndarray, "m m"],
    order: tuple[int, ...],
) -> Latents:
    """Causes first: the row of each target is where its domain changes beyond the earlier rows.

    The change of domain k lies in the span of the rows of H of its target and of the target's
    parents. In domain k the target has no parents: what the earlier latents explain of it there is
    none of its own, and is taken out of its row.

    Args:
        changes: by domain but the first, a symmetric matrix with that span, for whitened rows.
        samples: the rows, not whitened.
        root: the whitening, y = root x.
        order: of the domains.
    """
    m = len(changes)
    rows, second = np.zeros((0, m)), []
    for k in order:
        beyond = np.eye(m) - np.linalg.pinv(rows) @ rows
        _, sizes, directions = np.linalg.svd(beyond @ changes[k - 1] @ beyond)
        row = without_earlier(directions[0] @ root, rows @ root, samples[k])
        rows = np.concatenate([rows, (row @ np.linalg.inv(root))[None]])
        second.append(float(sizes[1] / sizes[0]) if m > 1 else 0.0)
    return Latents(rows @ root, order, tuple(second))


def _value(fitted: AutoregressiveMap) -> float:
    """Nats per row, over domains: of the nodes, and of x ↦ z."""
    nodes = [[node.log_likelihood for node in mine] for mine in fitted.nodes]
    return float(np.mean(np.sum(nodes, axis=1)) + np.linalg.slogdet(fitted.to_latent)[1])


def without_earlier(
    row: Float[np.ndarray, " m"],
    earlier: Float[np.ndarray, "j m"],
    x: Float[np.ndarray, "n m"],
) -> Float[np.ndarray, " m"]:
    """The row minus what the earlier latents explain of it in these rows of x."""
    covariance = np.cov(x.T)
    among = earlier @ covariance @ earlier.T
    return row - np.linalg.solve(among, earlier @ covariance @ row) @ earlier


def atomic_map(samples: Samples, found: Latents, *, degree: int, base: Base) -> AutoregressiveMap:
    """Each mechanism from all domains but the one that intervenes on it, where it has no parents.

    Noise is added to a polynomial of the parents. Latents have deviation 1 in the first domain.
    """
    H = found.to_latent / (samples[0] @ found.to_latent.T).std(0)[:, None]
    z = [x @ H.T for x in samples]
    parents = all_before(tuple(range(len(H))))
    usual, changed = [], []
    for j, (domain, pa) in enumerate(zip(found.domains, parents, strict=True)):
        rest = np.concatenate([rows for d, rows in enumerate(z) if d != domain])
        usual.append(additive(rest, j, pa, degree, base))
        changed.append(additive(z[domain], j, pa, 0, base))
    nodes = tuple(
        tuple(changed[j] if found.domains[j] == d else usual[j] for j in range(len(H)))
        for d in range(len(samples))
    )
    return AutoregressiveMap(H, tuple(range(len(H))), parents, nodes)


def additive(
    z: Float[np.ndarray, "n m"], j: int, parents: tuple[int, ...], degree: int, base: Base
) -> Node:
    """z_j = t(parents) + s u."""
    return fit_node(z[:, j], z[:, list(parents)], degree=degree, base=base, varying=False)


def whitening_root(x: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "m m"]:
    """R with R Cov(x) Rᵀ = I."""
    return np.linalg.inv(np.linalg.cholesky(np.cov(x.T)))


def atomic_assumptions(found: Latents, linear: str) -> tuple[Assumption, ...]:
    """What the ranks say of one intervened latent per domain."""
    worst = max(found.second)
    words = f"beyond earlier latents, a change has a second direction of {worst:.0%} of its first"
    return (
        Assumption("every other domain intervenes on one latent, each once", worst < 0.25, words),
        Assumption("the intervention cuts the latent off its causes", None, "used, not testable"),
        Assumption(linear, None, "not tested apart from the ranks"),
    )


def require_atomic(num_domains: int, m: int) -> None:
    """Raise unless there is one domain per latent beside the first, and few enough to try."""
    if num_domains != m + 1:
        raise AssumptionError(
            "atomic interventions on every latent need one domain per column and one without any, "
            f"the first; got {num_domains} domains of {m} columns."
        )
    if m > MOST_ORDERED:
        raise AssumptionError(
            f"all orders are tried, so there may be at most {MOST_ORDERED} columns; got {m}."
        )
