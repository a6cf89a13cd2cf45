"""Models that differ by the sign of a noise in one domain are as likely, and answer otherwise."""

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM, linear
from elsewhere.fitting import Candidate, FitError, FitResult, with_mirrors
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
    low, high = with_mirrors(found(model(1.0))).spread(x, d="a", d_prime="b")
    np.testing.assert_allclose([low[0], high[0]], [[0.3, -3.0], [0.3, 5.0]])


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
