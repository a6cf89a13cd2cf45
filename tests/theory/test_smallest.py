"""The smallest |I| of an equivalence class, against every member that small models have."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from tests.models import random_ild, random_matrix, random_scm, seeds

from elsewhere import ILD, LinearSCM, leaky_linear, linear
from elsewhere.datasets import simulated_truth
from elsewhere.errors import AssumptionError
from elsewhere.theory import (
    counterfactually_equivalent,
    distributionally_equivalent,
    equivalent_model,
    intervention_set,
    smallest_form,
)


def model_of(moves, mixing=None):
    """f_1 = Id and f_d = (Φ_d, φ_d)."""
    m = len(moves[0][1])
    scms = [LinearSCM.identity(m), *(LinearSCM.from_affine(P, p) for P, p in moves)]
    return ILD(linear(jnp.eye(m)) if mixing is None else mixing, scms)


def check_form(ild, form):
    assert intervention_set(form.ild).indices == set(range(ild.m - form.size, ild.m))
    assert counterfactually_equivalent(ild, form.ild)
    assert distributionally_equivalent(ild, form.ild)


def size_after(R, moves):
    """|I| once the latents are turned by R, or None where that is not autoregressive."""
    turned = [(R @ P @ R.T, R @ p) for P, p in moves]
    if any(np.abs(np.triu(P, 1)).max() > 1e-9 for P, _ in turned):
        return None
    still = np.ones(len(R), bool)
    for P, p in turned:
        still &= (np.abs(P - np.eye(len(R))).max(1) < 1e-9) & (np.abs(p) < 1e-9)
    return int((~still).sum())


def every_triangular_turn(vectors):
    """R for each order of the common eigenvectors: those are all flags, if no two share values."""
    for order in itertools.permutations(vectors.T):
        last_first = np.linalg.qr(np.stack(order, axis=1))[0]
        yield last_first.T[::-1]


@pytest.mark.parametrize("m", [2, 3, 4])
@pytest.mark.parametrize("shifted", [True, False])
@given(seed=seeds)
def test_against_all_members(m, shifted, seed):
    """Φ_d = P D_d P⁻¹ with one entry of D_d equal to 1: at most m! turns keep them triangular."""
    rng = np.random.default_rng(seed)
    P = np.tril(rng.standard_normal((m, m)), -1) + np.eye(m)
    still = rng.integers(m)
    moves = []
    for _ in range(2):
        values = np.where(np.arange(m) == still, 1.0, np.exp(rng.uniform(0.2, 1, m)))
        values = values ** rng.choice([-1.0, 1.0], m)
        shift = P[:, :still] @ rng.standard_normal(still) if shifted else np.zeros(m)
        moves.append((P @ np.diag(values) @ np.linalg.inv(P), shift))
    ild = model_of(moves, linear(random_matrix(rng, m)))
    sizes = [size_after(R, moves) for R in every_triangular_turn(P)]
    form = smallest_form(ild)
    assert form.size == min(size for size in sizes if size is not None) == m - 1
    check_form(ild, form)


@given(seed=seeds)
def test_shifts_alone_need_as_many_latents_as_there_are_directions(seed):
    """Against all turns of the plane: two domains shift along one line, or along two."""
    rng = np.random.default_rng(seed)
    line = rng.standard_normal(2)
    for shifts in ([line, -2 * line], [line, rng.standard_normal(2)]):
        ild = model_of([(np.eye(2), shift) for shift in shifts])
        angles = np.append(np.linspace(0, np.pi, 721), np.arctan2(-line[0], line[1]))
        turns = [np.array([[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]]) for t in angles]
        brute = min(size_after(R, [(np.eye(2), s) for s in shifts]) for R in turns)
        form = smallest_form(ild)
        assert form.size == brute == np.linalg.matrix_rank(np.stack(shifts))
        check_form(ild, form)


@pytest.mark.parametrize("mixing", ["linear", "leaky"])
@given(seed=seeds)
def test_it_is_an_invariant_of_the_class(mixing, seed):
    """Any autoregressive h₁, h₂ leave it as it is, though they change |I|."""
    rng = np.random.default_rng(seed)
    mask = np.array([True, False, True, False])
    ild = random_ild(seed, mixing, "linear", 4, 3, mask, 0.4)
    h1, h2 = (random_scm(rng, "linear", 4, 0.4) for _ in range(2))
    other = equivalent_model(ild, h1, h2)
    assert smallest_form(ild).size == smallest_form(other).size <= 2
    assert len(intervention_set(other)) >= smallest_form(other).size


def test_h2_may_keep_the_size_or_not():
    """An entry below the diagonal matters below an intervention, and the last has none below."""
    h2 = linear(jnp.array([[1.0, 0.0], [1.0, 1.0]]))
    h1 = LinearSCM.identity(2)
    for shift, size in (([1.0, 0.0], 2), ([0.0, 1.0], 1)):
        ild = model_of([(np.eye(2), np.array(shift))])
        other = equivalent_model(ild, h1, h2)
        assert len(intervention_set(ild)) == 1
        assert len(intervention_set(other)) == size
        assert smallest_form(ild).size == smallest_form(other).size == 1


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.float64])
@pytest.mark.parametrize("seed", range(5))
def test_the_papers_simulated_truth(seed, dtype):
    """As written six mechanisms differ; the displacements span two directions."""
    truth = simulated_truth(jax.random.key(seed), 6, 3, {0, 1}, bias="printed")
    cast = lambda a: a.astype(dtype) if isinstance(a, jax.Array) else a  # noqa: E731
    truth = jax.tree.map(cast, truth)
    assert len(intervention_set(truth)) == 6
    form = smallest_form(truth)
    assert form.size == 2
    check_form(truth, form)


def test_nothing_moves():
    form = smallest_form(ILD(leaky_linear(jnp.eye(3)), [LinearSCM.identity(3)] * 2))
    assert form.size == 0
    assert intervention_set(form.ild).indices == frozenset()


def test_one_domain():
    assert smallest_form(ILD(linear(jnp.eye(2)), [LinearSCM.identity(2)])).size == 0


def test_nonlinear_scms_are_refused():
    ild = random_ild(0, "linear", "autoregressive", 2, 2, np.ones(2, bool), 0.2)
    with pytest.raises(AssumptionError, match="linear SCMs"):
        smallest_form(ild)
