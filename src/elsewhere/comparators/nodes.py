"""One mechanism: v = t(parents) + e^{s(parents)} u, fitted, abducted and predicted."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal, final

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from elsewhere.baselines.quantile import match_quantiles

Column = Float[np.ndarray, " n"]
Table = Float[np.ndarray, "n p"]
Base = Literal["normal", "laplace", "any"]
FLAT = 3.0  # deviations from the mean beyond which parents bend nothing any further


@final
@dataclass(frozen=True)
class Node:
    """v = φ(parents)·t + exp(ψ(parents)·s) u, with u's sample sorted.

    Attributes:
        centre: of each parent.
        spread: of each parent.
        degree: of the polynomials φ; ψ is one where `s` has but one entry.
        t: coefficients of the location.
        s: coefficients of the log-scale.
        noise: u of the rows fitted, sorted; of a given law, as in an affine flow, its quantiles.
        log_likelihood: nats per row, of u under its base; of an empirical base, under a normal.
    """

    centre: Float[np.ndarray, " p"]
    spread: Float[np.ndarray, " p"]
    degree: int
    t: Float[np.ndarray, " a"]
    s: Float[np.ndarray, " b"]
    noise: Float[np.ndarray, " n"] | None
    log_likelihood: float

    def abduct(self, v: Column, parents: Table) -> Column:
        """u = (v − t)/e^s."""
        location, scale = self._law(parents)
        return (v - location) / scale

    def predict(self, u: Column, parents: Table) -> Column:
        """v = t + e^s u."""
        location, scale = self._law(parents)
        return location + scale * u

    def _law(self, parents: Table) -> tuple[Column, Column]:
        parents = (parents - self.centre) / self.spread
        features, held = polynomials(parents, self.degree), _for_scales(parents, self.degree)
        return features @ self.t, np.exp(held[:, : len(self.s)] @ self.s)


def fit_node(v: Column, parents: Table, *, degree: int, base: Base, varying: bool) -> Node:
    """The likeliest node; `varying` lets the scale depend on the parents too.

    A base of "any" is fitted as a normal one, and its noise taken as it comes.
    """
    centre, spread = parents.mean(0), parents.std(0)
    parents = (parents - centre) / spread
    features = polynomials(parents, degree)
    t = np.linalg.lstsq(features, v, rcond=None)[0]
    s = np.zeros(features.shape[1] if varying else 1)
    s[0] = np.log((v - features @ t).std())
    held = _for_scales(parents, degree)[:, : len(s)]
    if varying or base == "laplace":
        t, s = _likeliest(features, held, v, t, s, base)
    u = (v - features @ t) / np.exp(held @ s)
    value = -_cost(u, base) - float((held @ s).mean())
    return Node(centre, spread, degree, t, s, np.sort(u) if base == "any" else None, value)


def carried_over(u: Column, before: Node, after: Node) -> Column:
    """The same noise in another domain: by rank where its law is empirical, else itself."""
    if before.noise is None or after.noise is None:
        return u
    return match_quantiles(u, before.noise, after.noise)


def polynomials(parents: Table, degree: int) -> Float[np.ndarray, "n a"]:
    """[1, p, products]: all monomials up to `degree`, products of parents held at `FLAT`."""
    held = np.clip(parents, -FLAT, FLAT)
    columns = [np.ones(len(parents)), *(parents.T if degree else [])]
    for power in range(2, degree + 1):
        chosen = combinations_with_replacement(range(parents.shape[1]), power)
        columns += [held[:, list(one)].prod(1) for one in chosen]
    return np.stack(columns, axis=1)


def _for_scales(parents: Table, degree: int) -> Float[np.ndarray, "n a"]:
    """All features of held parents: a scale that goes on beyond the rows would run away."""
    return polynomials(np.clip(parents, -FLAT, FLAT), degree)


def _cost(u: Column, base: Base) -> float:
    """−mean log p(u)."""
    if base == "laplace":
        return float(np.abs(u).mean() + np.log(2))
    return float((u**2).mean() / 2 + np.log(2 * np.pi) / 2)


def _likeliest(
    features: Float[np.ndarray, "n a"],
    held: Float[np.ndarray, "n b"],
    v: Column,
    t: Float[np.ndarray, " a"],
    s: Float[np.ndarray, " b"],
    base: Base,
) -> tuple[Float[np.ndarray, " a"], Float[np.ndarray, " b"]]:
    """L-BFGS from least squares; v in units of its residual's deviation."""
    unit = np.exp(s[0])

    def objective(both: np.ndarray) -> tuple[float, np.ndarray]:
        log_scale = np.clip(held @ both[len(t) :], -20, 20)
        u = (v / unit - features @ both[: len(t)]) / np.exp(log_scale)
        slope = np.sign(u) if base == "laplace" else u
        by_t = -features.T @ (slope / np.exp(log_scale))
        by_s = held.T @ (1 - slope * u)
        return _cost(u, base) + log_scale.mean(), np.concatenate([by_t, by_s]) / len(v)

    start = np.concatenate([t / unit, s - s[0] * (np.arange(len(s)) == 0)])
    best = minimize(objective, start, jac=True, method="L-BFGS-B").x
    log_unit = np.log(unit) * (np.arange(len(s)) == 0)
    return best[: len(t)] * unit, best[len(t) :] + log_unit
