"""Dense contains what lets fewer mechanisms differ."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM, linear
from elsewhere.fitting import Candidate, FitResult, Pseudo, fit_each
from elsewhere.fitting.dense_at_least import EQUAL, dense_at_least
from elsewhere.fitting.gradient.model import sharing
from elsewhere.fitting.pseudo.fit import _statics, _untied
from elsewhere.fitting.pseudo.objective import PseudoConstants, row_elbos
from elsewhere.fitting.pseudo.start import random_start


def result(k, value):
    model = ILD(linear(jnp.eye(1)), [LinearSCM.identity(1)])
    return FitResult((Candidate(model, value, value, ""),), k, value, 0.1, 0.0, "")


@pytest.mark.fast
def test_a_likelier_sub_model_stands_in():
    dense = result(None, -1.0)
    assert dense_at_least(dense, [result(1, -2.0)]) is dense
    found = dense_at_least(dense, [result(1, -0.5), result(2, -0.75)])
    assert (found.k, found.log_likelihood) == (None, -0.5)
    assert "k = 1, which Dense contains, is likelier on held-out rows by 0.500" in found.notes[0]


@pytest.mark.fast
@pytest.mark.parametrize(("lead", "stays"), [(0.004, True), (0.009, True), (0.011, False)])
def test_a_lead_that_says_nothing_leaves_dense_its_own_answer(lead, stays):
    dense, sparse = result(None, -1.0), result(1, -1.0 + lead)
    found = dense_at_least(dense, [sparse])
    assert (found is dense) == stays
    assert (found.model is sparse.model) != stays


def test_written_out_for_every_domain_it_is_the_same_model():
    params = random_start(jax.random.key(0), 3, 2, 4, 2)
    share, every = sharing(2, 2, 1, "canonical"), sharing(2, 2, None, "dense")
    x, key = jnp.asarray(np.random.default_rng(0).standard_normal((3, 2, 5))), jax.random.key(1)
    tied, untied = (
        row_elbos(p, PseudoConstants(_statics(3, 2, 4), s, key), x, jnp.asarray(0))
        for p, s in ((params, share), (_untied(params, share), every))
    )
    np.testing.assert_allclose(untied, tied, rtol=1e-6)


def test_the_bound_of_dense_is_never_clearly_below():
    """Few steps leave Dense, whose mechanisms all differ, behind Can: it starts there then."""
    x = np.random.default_rng(0).standard_normal((2, 80, 3))
    engine = Pseudo(latent=2, width=4, steps=100, batch=20)
    found = fit_each(jax.random.key(0), x, ks=[0, 1, None], engine=engine)
    assert found[None].k is None
    best = max(found[k].log_likelihood for k in (0, 1))
    assert found[None].log_likelihood >= best - EQUAL
