"""Causal autoregressive flows: affine mechanisms of observed variables, the order by likelihood."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import ClassVar, Literal, final

import numpy as np

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.autoregressive import all_before, fit_autoregressive
from elsewhere.comparators.interface import Assumption, Comparator, Samples
from elsewhere.comparators.nodes import fit_node
from elsewhere.errors import AssumptionError

MOST_ORDERED = 7  # columns whose orders are all tried
ROWS = 1_000  # per domain, on which orders are compared


@final
@dataclass(frozen=True)
class CausalAutoregressiveFlow(Comparator):
    """x_j = e^{s_j(x_<j)} u_j + t_j(x_<j) per domain, u_j of a given law, in the likeliest order.

    s_j and t_j are polynomials, where the authors train networks.

    Args:
        order: of the columns, causes first; None tries all orders of up to `MOST_ORDERED` columns.
        base: the law of u_j.
        degree: of the polynomials.
    """

    source: ClassVar[str] = (
        "I. Khemakhem, R. Monti, R. Leech, A. Hyvärinen: Causal autoregressive flows. AISTATS 2021."
    )

    order: tuple[int, ...] | None = None
    base: Literal["normal", "laplace"] = "laplace"
    degree: int = 2

    def _require(self, num_domains: int, m: int) -> None:
        if self.order is not None and sorted(self.order) != [*range(m)]:
            raise AssumptionError(f"order must hold 0..{m - 1} once each; got {self.order}.")
        if self.order is None and m > MOST_ORDERED:
            raise AssumptionError(
                f"order must be given for more than {MOST_ORDERED} columns; got {m}."
            )

    def _learn(self, samples: Samples) -> DomainMap:
        order = self.order or likeliest_orders(samples, self.degree, self.base)[0][1]
        parents = all_before(order)
        return fit_autoregressive(samples, order, parents, degree=self.degree, base=self.base)

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        told = Assumption("the columns themselves are the causal variables", None, "not testable")
        if self.order is not None or samples[0].shape[1] == 1:
            return (told, Assumption("one order of the columns is known", None, "given"))
        (best, order), (second, other), *_ = likeliest_orders(samples, self.degree, self.base)
        gap = (best - second) * min(ROWS, *map(len, samples))
        words = f"order {order} is {gap:.1f} nats likelier than {other} in all"
        return (told, Assumption("one order of the columns is likelier than all", gap > 3, words))


def likeliest_orders(
    samples: Samples, degree: int, base: Literal["normal", "laplace"]
) -> list[tuple[float, tuple[int, ...]]]:
    """(nats per row summed over domains, order), best first; each node and parents fitted once."""

    @cache
    def value(node: int, parents: frozenset[int]) -> float:
        chosen = sorted(parents)
        fits = [
            fit_node(x[:ROWS, node], x[:ROWS, chosen], degree=degree, base=base, varying=True)
            for x in samples
        ]
        return float(np.sum([fit.log_likelihood for fit in fits]))

    def total(order: tuple[int, ...]) -> float:
        return sum(value(node, frozenset(order[:place])) for place, node in enumerate(order))

    orders = permutations(range(samples[0].shape[1]))
    return sorted(((total(order), order) for order in orders), reverse=True)
