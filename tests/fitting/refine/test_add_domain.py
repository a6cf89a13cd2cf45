"""A domain added later: earlier answers stay, the new one is as in a fit of all."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.fitting import Candidate, FitError, FitResult
from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.mechanisms import kinds_of_mechanisms
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.read_back import linear_mechanisms
from elsewhere.fitting.refine.add_domain import add_domain
from elsewhere.fitting.refine.one_domain import folds
from elsewhere.mixing import leaky_linear
from elsewhere.model import ILD
from elsewhere.scm import AutoregressiveSCM, LinearSCM

NEW = "new"


def result_of(*models):
    candidates = tuple(Candidate(m, -3.0, -3.0, f"candidate {i}") for i, m in enumerate(models))
    return FitResult(candidates, 2, -3.0, 0.01, 0.01, "by hand")


@pytest.fixture(scope="module")
def data():
    truth = simulated_truth(jax.random.key(0), 4, 3, {2, 3})
    return simulate(jax.random.key(1), truth, train=4_000, test=300)


@pytest.fixture(scope="module")
def before(data):
    """The truth of the first two domains, as if a fit had found it."""
    return result_of(ILD(data.truth.mixing, data.truth.scms[:2], ["a", "b"]))


@pytest.fixture(scope="module")
def after(before, data):
    return add_domain(before, NEW, data.train[2])


def test_earlier_answers_are_the_same_bits(before, after, data):
    asked = {"d": "a", "d_prime": "b"}
    old, new = (r.counterfactuals(data.test[0], **asked) for r in (before, after))
    np.testing.assert_array_equal(old, new)
    assert after.model.domains == ("a", "b", NEW)
    assert after.model.mixing is before.model.mixing


def test_the_new_domain_is_answered_as_the_truth_does(after, data):
    there = after.model.move(data.test[0], d="a", d_prime=NEW)
    back = after.model.move(data.test[2], d=NEW, d_prime="b")
    for found, true in ((there, data.counterfactuals[0, 2]), (back, data.counterfactuals[2, 1])):
        scale = float(jnp.var(true))
        assert float(((found - true) ** 2).mean()) < 0.01 * scale


def test_only_what_differs_is_fitted(before, after):
    old, new = linear_mechanisms(before.model), linear_mechanisms(after.model)
    assert kinds_of_mechanisms(old).tolist() == [SHARED, SHARED, OWN_BUT_SCALE, OWN_BUT_SCALE]
    np.testing.assert_array_equal(new.weights[2, :2], old.weights[0, :2])
    np.testing.assert_array_equal(new.scales[2], old.scales[0])
    assert (new.biases[2, 2:] != old.biases[0, 2:]).all()


def test_own_scales_are_fitted_where_the_domains_have_them(before, data):
    first, second = before.model.scms
    scaled = LinearSCM(second.weights, second.scale * jnp.array([1, 1, 2, 2]), second.bias)
    own = result_of(ILD(before.model.mixing, [first, scaled], ["a", "b"]))
    assert kinds_of_mechanisms(linear_mechanisms(own.model)).tolist() == [SHARED] * 2 + [OWN] * 2
    scales = linear_mechanisms(add_domain(own, NEW, data.train[2]).model).scales[2]
    np.testing.assert_allclose(scales[2:], 1, atol=0.05)
    assert (scales[2:] != 1).all()


def test_likelihoods_are_means_over_all_domains(before, after, data):
    held = add_domain(before, NEW, data.train[2], valid=data.valid[2])
    rows = jax.vmap(lambda x: held.model.log_prob(x, d=NEW))(data.valid[2])
    expected = (2 * before.log_likelihood + float(rows.mean())) / 3
    assert held.log_likelihood == pytest.approx(expected, abs=1e-6)
    assert after.log_likelihood == pytest.approx(expected, abs=0.05)
    assert 0 < after.standard_error < 0.02


def test_a_domain_that_fits_needs_no_note(after):
    assert after.notes == ()


def test_a_domain_with_another_shared_mechanism_is_told(before, data):
    f = data.truth.scms[2]
    other = LinearSCM(f.weights.at[1, 0].add(1.0), f.scale, f.bias.at[0].add(1.0))
    strange = ILD(data.truth.mixing, [other])
    found = add_domain(before, NEW, strange.sample(jax.random.key(2), 1_000, d=0))
    assert "contradicts the shared mechanisms" in found.notes[0]


def test_the_order_of_candidates_is_kept_and_a_better_one_named(before, data):
    wrong = leaky_linear(data.truth.mixing[1].matrix + 0.5, data.truth.mixing[1].offset)
    poor = ILD(wrong, before.model.scms, ["a", "b"])
    found = add_domain(result_of(poor, before.model), NEW, data.train[2])
    assert found.model.mixing is poor.mixing
    assert any("prefers candidate 1 (candidate 1)" in note for note in found.notes)


def test_folds_cover_every_row_once():
    assert sorted(np.concatenate(folds(17)).tolist()) == list(range(17))


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("a", np.zeros((50, 4)), "name must be new; the model has a domain 'a' already"),
        (NEW, np.zeros((50, 3)), "the model's 4 columns; got"),
        (NEW, np.random.default_rng(0).standard_normal((7, 4)), "at least 8 for 4 columns; got 7"),
        (NEW, np.full((50, 4), np.nan), "rows must be finite"),
        (NEW, np.ones((50, 4)), "collinear"),
    ],
)
def test_bad_input(before, name, rows, message):
    with pytest.raises(ValueError, match=message):
        add_domain(before, name, rows)


def test_mechanisms_without_closed_form_are_refused(before, data):
    scms = [AutoregressiveSCM(jax.random.key(d), 4) for d in range(2)]
    nonlinear = result_of(ILD(before.model.mixing, scms, ["a", "b"]))
    with pytest.raises(FitError, match="linear mechanisms"):
        add_domain(nonlinear, NEW, data.train[2])


def test_how_far_answers_in_the_new_domain_may_be_off_is_known(before, data):
    tables = {d: np.asarray(rows, float) for d, rows in zip("ab", data.train, strict=False)}
    grown = add_domain(replace(before, simpler=affine_map(tables)), NEW, data.train[2])
    assert (grown.uncertainty(data.test[0], d="a", d_prime=NEW) > 0).all()


def test_the_result_given_is_not_touched(before, data):
    copy = replace(before)
    add_domain(before, NEW, data.train[2])
    assert before == copy
