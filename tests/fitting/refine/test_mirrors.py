"""Models that differ by the sign of a noise in one domain are as likely, and answer otherwise."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM, linear
from elsewhere.fitting import Candidate, FitError, FitResult, with_mirrors
from elsewhere.fitting.signs import mirrored_towards
from elsewhere.theory import counterfactually_equivalent, distributionally_equivalent


def moved(sign):
    """Two latents; the second is wider, and shifted by 1, in the second domain."""
    return LinearSCM(jnp.zeros((2, 2)), jnp.array([1.0, 2.0 * sign]), jnp.array([0.0, 1.0]))


def model(*signs):
    return ILD(
        linear(jnp.eye(2)), [LinearSCM.identity(2), *map(moved, signs)], "abc"[: 1 + len(signs)]
    )


def found(one):
    return FitResult(
        (Candidate(one, -1.0, -1.0, "mechanism 1 differs"),), 1, -1.0, 0.1, 0.0, "told"
    )


def test_the_mirrored_model_is_there_as_likely_and_behind():
    result = with_mirrors(found(model(1.0)))
    first, second = result.candidates
    assert distributionally_equivalent(first.model, second.model)
    assert counterfactually_equivalent(second.model, model(-1.0))
    assert not counterfactually_equivalent(first.model, second.model)
    assert result.preferred == (first.model,)
    assert second.log_likelihood == first.log_likelihood
    assert "mirrored: noise 1 in 'b'" in second.description


def test_the_spread_holds_a_mirrored_truth():
    x = jnp.array([[0.3, 2.0]])
    low, high = found(model(1.0)).spread(x, d="a", d_prime="b")
    np.testing.assert_allclose([low[0], high[0]], [[0.3, -3.0], [0.3, 5.0]])


def test_answers_and_consensus_keep_the_signs():
    x, result = jnp.array([[0.3, 2.0]]), found(model(1.0))
    np.testing.assert_allclose(result.model.move(x, d="a", d_prime="b"), [[0.3, 5.0]])
    np.testing.assert_allclose(result.consensus(x, d="a", d_prime="b"), [[0.3, 5.0]])
    low, high = result.spread(x, d="a", d_prime="b", mirrored=False)
    np.testing.assert_array_equal(low, high)


def test_where_pairs_told_the_signs_no_other_is_left():
    x, result = jnp.array([[0.3, 2.0]]), replace(found(model(1.0)), signs_known=True)
    low, high = result.spread(x, d="a", d_prime="b")
    np.testing.assert_array_equal(low, high)


@pytest.mark.parametrize("pair", [("a", "b"), ("b", "c"), ("c", "a")])
def test_the_spread_is_that_of_every_mirrored_model(pair):
    """Against all 2⁴ signs of two noises in two domains, as models of their own."""
    rng = np.random.default_rng(3)
    scms = [LinearSCM.identity(3)]
    for _ in range(2):
        weights, scale, bias = (
            np.tril(rng.standard_normal((3, 3)), -1),
            np.exp(rng.normal(size=3)),
            rng.normal(size=3),
        )
        weights[0], scale[0], bias[0] = 0.0, 1.0, 0.0
        scms.append(LinearSCM(*map(jnp.asarray, (weights, scale, bias))))
    result = found(ILD(linear(jnp.asarray(rng.standard_normal((3, 3)))), scms, "abc"))
    every = with_mirrors(result, most=99)
    assert len(every.candidates) == 16
    x, (d, e) = jnp.asarray(rng.standard_normal((20, 3))), pair
    answers = every.counterfactuals(x, d=d, d_prime=e)
    spread = result.spread(x, d=d, d_prime=e)
    np.testing.assert_allclose(spread, (answers.min(0), answers.max(0)), atol=1e-9)


def test_all_of_many_noises_are_mirrored_at_once_too():
    m = 6
    wide = LinearSCM(jnp.zeros((m, m)), 2 * jnp.ones(m), jnp.ones(m))
    every = mirrored_towards(ILD(linear(jnp.eye(m)), [LinearSCM.identity(m), wide], "ab"), "b")
    assert len(every) == 15
    assert (every[-1].scms[1].scale == -2).all()
    assert all((other.scms[0].scale == 1).all() for other in every)


def test_fewest_mirrored_noises_first_and_no_more_than_asked_for():
    result = found(model(1.0, 1.0))
    every = with_mirrors(result).candidates
    assert len(every) == 4
    assert every[-1].description.endswith("noise 1 in 'b', 1 in 'c'")
    assert with_mirrors(result, most=2).candidates == every[:3]


def test_without_mechanisms_it_is_refused():
    class Still:
        domains = ("a", "b")

        def move(self, x, *, d, d_prime):
            return x

    with pytest.raises(FitError, match="mixing and mechanisms"):
        with_mirrors(found(Still()))
