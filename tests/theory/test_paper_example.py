"""The paper's 4-dimensional worked example, matrix by matrix (0-based: its {2,3} is {1,2})."""

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM, linear
from elsewhere.bijections import as_affine
from elsewhere.theory import (
    canonical_form,
    counterfactually_equivalent,
    distributionally_equivalent,
    identity_canonical_form,
    intervention_set,
)

ONES = np.tril(np.ones((4, 4)))
F2 = np.array([[1, 0, 0, 0], [2, 2, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], float)


@pytest.fixture
def example():
    scms = [LinearSCM.from_affine(jnp.asarray(F), jnp.zeros(4)) for F in (ONES, F2)]
    return ILD(linear(jnp.eye(4)), scms)


def matrix(bijection):
    return np.asarray(as_affine(bijection)[0])


def test_intervention_set_is_2_3_in_the_papers_count(example):
    assert intervention_set(example).indices == {1, 2}
    assert intervention_set(example).exact


def test_step_1(example):
    step = identity_canonical_form(example).steps[1]
    np.testing.assert_allclose(matrix(step.scms[0]), np.eye(4))
    expected = [[1, 0, 0, 0], [1, 2, 0, 0], [-1, -1, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(matrix(step.scms[1]), expected, atol=1e-14)
    np.testing.assert_allclose(matrix(step.mixing), ONES)


def test_the_swaps(example):
    form = identity_canonical_form(example)
    assert form.swaps == ((2, 3), (1, 2))  # the paper's 3↔4, then 2↔3
    expected = [[1, 0, 0, 0], [1, 2, 0, 0], [0, 0, 1, 0], [-1, -1, 0, 1]]
    np.testing.assert_allclose(matrix(form.steps[2].scms[1]), expected, atol=1e-14)
    assert intervention_set(form.steps[2]).indices == {1, 3}


def test_identity_canonical_form(example):
    form = identity_canonical_form(example)
    assert form.intervened == intervention_set(form.ild).indices == {2, 3}
    np.testing.assert_array_equal(matrix(form.ild.scms[0]), np.eye(4))
    expected = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 2, 0], [-1, 0, -1, 1]]
    np.testing.assert_allclose(matrix(form.ild.scms[1]), expected, atol=1e-14)


def test_general_canonical_form(example):
    form = canonical_form(example)
    np.testing.assert_allclose(matrix(form.ild.scms[0]), ONES, atol=1e-14)
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [2, 1, 2, 0], [1, 1, 1, 1]]
    np.testing.assert_allclose(matrix(form.ild.scms[1]), expected, atol=1e-14)
    assert intervention_set(form.ild).indices == {2, 3}


def test_mixing_permutes_columns_where_the_paper_prints_permuted_rows(example):
    """g⁽¹⁾ = g⁽⁰⁾∘h swaps columns 3 and 4. The paper prints rows swapped, which is h∘g⁽⁰⁾ and would
    not keep the counterfactuals."""
    form = identity_canonical_form(example)
    first = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1]]
    second = [[1, 0, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1], [1, 1, 1, 1]]
    np.testing.assert_allclose(matrix(form.steps[2].mixing), first, atol=1e-14)
    np.testing.assert_allclose(matrix(form.ild.mixing), second, atol=1e-14)
    printed = np.array([[1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]], float)
    as_printed = ILD(linear(jnp.asarray(printed)), form.ild.scms)
    assert not counterfactually_equivalent(example, as_printed)


def test_every_step_is_equivalent(example):
    for step in canonical_form(example).steps:
        assert counterfactually_equivalent(example, step)
        assert distributionally_equivalent(example, step)
