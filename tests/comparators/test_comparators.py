"""Every comparator on data that meet its assumptions, and on data that do not."""

import numpy as np
import pytest

from elsewhere.baselines import GaussianOT, counterfactuals
from elsewhere.comparators import COMPARATORS, BijectiveMechanisms, CausalAutoregressiveFlow
from elsewhere.comparators.worlds import WORLDS
from elsewhere.errors import AssumptionError
from elsewhere.evaluation import normalised_error
from elsewhere.queries import Mover

ROWS = 2_000


def told(name, world):
    """The comparator with what it asks to be told."""
    given = {"bijective": {"graph": world.graph}, "with_pairs": {"pairs": world.pairs}}
    order = {"affine_flow": {"order": (0, 1, 2, 3)}}
    return COMPARATORS[name](**(given | order).get(name, {}))


def share(fitted, world):
    return normalised_error(counterfactuals(fitted, world.test), world.truth, world.test)


@pytest.fixture(scope="module", params=COMPARATORS)
def case(request):
    world = WORLDS[request.param](np.random.default_rng(1), ROWS)
    comparator = told(request.param, world)
    return comparator, comparator.fit(world.train), world


def test_is_a_mover_that_leaves_rows_where_they_are(case):
    _, fitted, world = case
    assert isinstance(fitted, Mover)
    np.testing.assert_allclose(fitted.move(world.test[1], d=1, d_prime=1), world.test[1])


def test_there_and_back(case):
    _, fitted, world = case
    away = fitted.move(world.train[0][:50], d=0, d_prime=1)
    back = fitted.move(away, d=1, d_prime=0)
    np.testing.assert_allclose(back, world.train[0][:50], rtol=1e-6, atol=0.2)


def test_ahead_of_transport_on_data_that_meet_its_assumptions(case):
    _, fitted, world = case
    transport = share(GaussianOT().fit(world.train), world)
    assert share(fitted, world) < min(0.1, transport / 3)


def test_no_assumption_that_holds_is_refuted(case):
    comparator, _, world = case
    found = comparator.assumptions(world.train)
    assert all(one.holds is not False for one in found)
    assert all(one.words and one.name for one in found)
    assert comparator.source.endswith(".")


@pytest.mark.parametrize("name", ["bijective", "weight_varying", "with_pairs"])
def test_a_refuted_assumption_is_told(name):
    other = "linear_disentanglement" if name == "weight_varying" else "affine_flow"
    world = WORLDS[other](np.random.default_rng(0), ROWS)
    comparator = told(name, world)
    if name == "bijective":
        comparator = BijectiveMechanisms(graph=((), (), (), ()))
    assert any(one.holds is False for one in comparator.assumptions(world.train))


@pytest.mark.parametrize("name", ["linear_disentanglement", "score_based", "with_pairs"])
def test_what_cannot_be_computed_is_refused(name):
    with pytest.raises(AssumptionError, match="domain"):
        COMPARATORS[name]().fit(np.random.default_rng(0).normal(size=(3, 50, 4)))


@pytest.mark.parametrize(
    ("comparator", "match"),
    [
        (BijectiveMechanisms(graph=((1,), (0,))), "cycle"),
        (BijectiveMechanisms(graph=((), (2,))), "positions in 0..1"),
        (CausalAutoregressiveFlow(order=(0, 0)), "once each"),
    ],
)
def test_graphs_and_orders_that_are_none(comparator, match):
    with pytest.raises(AssumptionError, match=match):
        comparator.fit(np.random.default_rng(0).normal(size=(2, 50, 2)))


def test_rows_without_full_rank_are_refused():
    x = np.random.default_rng(0).normal(size=(2, 50, 2))
    x[1, :, 1] = 3 * x[1, :, 0]
    with pytest.raises(AssumptionError, match="full rank"):
        BijectiveMechanisms().fit(x)


def test_the_order_is_found_where_the_noise_tells_it():
    rng = np.random.default_rng(0)
    cause = rng.laplace(size=(2, 800))
    x = np.stack([np.tanh(2 * cause) + 0.3 * rng.laplace(size=cause.shape), cause], axis=2)
    found = CausalAutoregressiveFlow().fit(x)
    assert found.step.order == (1, 0)
