"""Orderings by dynamic programming and by beam, against every permutation."""

from itertools import combinations, permutations

import numpy as np
import pytest

from elsewhere.fitting.profile.moments import LatentMoments, closed_form
from elsewhere.fitting.profile.orders.beam import beam_orderings
from elsewhere.fitting.profile.orders.classes import (
    difference,
    distinct,
    kinds_of,
    latent_moves,
    orders_first,
)
from elsewhere.fitting.profile.orders.costs import sharing_costs
from elsewhere.fitting.profile.orders.orderings import Ordering, best_orderings, costs_to_go

M, D = 4, 3


def random_moments(seed, m=M, changed=None):
    """Of a linear SCM in a random order, in which only the changed variables differ."""
    rng = np.random.default_rng(seed)
    shared, own = rng.standard_normal((m, m)), rng.standard_normal((D, m, m))
    rows = np.ones(m, bool) if changed is None else np.isin(np.arange(m), changed)
    weights = np.tril(np.where(rows[:, None], own, shared), -1)
    total = np.linalg.inv(np.eye(m) - weights)
    shifts = rng.standard_normal((D, m)) * rows
    covariances = total @ total.mT
    means = np.einsum("dij,dj->di", total, shifts)
    return LatentMoments(means, covariances, np.full((D, m), 0.5)).reordered(
        rng.permutation(m).tolist()
    )


def brute_force(moments, k, scale_weight):
    """The least cost over all orders and sets of at most k changed variables."""
    best = np.inf
    for order in permutations(range(M)):
        ordered = moments.reordered(order)
        own = np.log(np.diagonal(np.linalg.cholesky(ordered.covariances), axis1=1, axis2=2))
        pooled = np.log(np.diagonal(np.linalg.cholesky(ordered.pooled)))
        whole = pooled - own.mean(0)
        scale = 0.5 * np.log(np.exp(2 * own).mean(0)) - own.mean(0)
        for changed in combinations(range(M), k):
            rows = np.isin(np.arange(M), changed)
            best = min(best, np.where(rows, np.minimum(scale_weight * scale, whole), whole).sum())
    return best


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", range(M + 1))
def test_dynamic_programming_equals_brute_force(seed, k):
    moments = random_moments(seed)
    costs = sharing_costs(moments)
    for weight in (0.0, 1.0):
        assert costs_to_go(costs, k, weight)[k, 0] == pytest.approx(brute_force(moments, k, weight))
    found = best_orderings(costs, k, tolerance=np.inf)
    assert found[0].cost == pytest.approx(brute_force(moments, k, 1.0))
    assert [o.cost for o in found] == pytest.approx(sorted(o.cost for o in found))


def test_dense_lists_every_permutation_once():
    found = best_orderings(sharing_costs(random_moments(0)), M, tolerance=np.inf)
    orders = [o.order for o in found if len(o.changed) == M]
    assert sorted(orders) == sorted(permutations(range(M)))


@pytest.mark.parametrize("seed", range(3))
def test_a_wide_beam_is_exact(seed):
    moments = random_moments(seed)
    exact = best_orderings(sharing_costs(moments), 2, tolerance=0.0)[0]
    beam = beam_orderings(moments, 2, tolerance=np.inf, width=10_000)
    assert min(o.cost for o in beam) == pytest.approx(exact.cost, abs=1e-9)


@pytest.mark.parametrize("changed", [[2, 3], [0, 5], [14, 15]])
def test_the_beam_finds_the_sparse_truth_among_many(changed):
    best = beam_orderings(random_moments(0, m=16, changed=changed), 2, tolerance=1e-6, width=64)
    assert best[0].loss < 0.02


@pytest.mark.parametrize("k", [1, 2, 3])
def test_all_sequences_of_the_changed_variables_are_listed(k):
    moments = random_moments(3, changed=list(range(M - k, M)))
    found = best_orderings(sharing_costs(moments), k, tolerance=0.01)
    assert found[0].loss < 1e-9
    classes = distinct(orders_first(found), moments, 8)
    sequences = {o.changed for o in classes if set(o.changed) == set(classes[0].changed)}
    assert sequences == set(permutations(classes[0].changed))


def test_a_sequence_is_stood_for_by_the_order_that_loses_least():
    cheap = Ordering(cost=0.1, loss=0.02, order=(0, 2, 1), changed=(0, 1))
    close = Ordering(cost=0.2, loss=0.01, order=(0, 1, 2), changed=(0, 1))
    other = Ordering(cost=0.3, loss=0.03, order=(1, 0, 2), changed=(1, 0))
    elsewhere = Ordering(cost=0.4, loss=0.00, order=(1, 2, 0), changed=(1, 2))
    assert orders_first([cheap, close, other, elsewhere]) == [close, other, cheap, elsewhere]


def test_orderings_that_answer_alike_are_merged():
    moments = random_moments(5, changed=[3])
    found = best_orderings(sharing_costs(moments), 1, tolerance=1e-9)
    assert len(distinct(found, moments, 8)) == 1


def test_latent_moves_carry_each_domain_onto_the_other():
    moments = random_moments(1)
    ordering = best_orderings(sharing_costs(moments), M, tolerance=np.inf)[0]
    ordered = moments.reordered(ordering.order)
    moved = latent_moves(closed_form(ordered, kinds_of(ordering)))
    for d in range(D):
        for e in range(D):
            B, a = moved.matrix[d, e], moved.offset[d, e]
            np.testing.assert_allclose(
                B @ ordered.covariances[d] @ B.T, ordered.covariances[e], atol=1e-8
            )
            np.testing.assert_allclose(B @ ordered.means[d] + a, ordered.means[e], atol=1e-8)
    assert difference(moved, moved, ordered) == 0
