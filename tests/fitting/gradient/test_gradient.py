"""Gradient fits: the objective against the model itself, and what a fit must return."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import multivariate_normal
from tests.models import compiled

from elsewhere.bijections import Affine, pull, push
from elsewhere.fitting import Gradient, fit
from elsewhere.fitting.gradient.mixing import mixing_maker
from elsewhere.fitting.gradient.model import assemble, initial, log_probs, sharing, statics
from elsewhere.fitting.gradient.restarts import Schedule, race, restart, stack
from elsewhere.fitting.gradient.steps import Ascent, learning_rates, wrap_rows
from elsewhere.fitting.profile.whitening import whitening
from elsewhere.fitting.split import FitError
from elsewhere.model import ILD
from elsewhere.theory import intervention_set

KEY = jax.random.key(0, impl="unsafe_rbg")  # compiles several times faster
SMALL = {"couplings": 2, "width": 8}


class Counting(Affine):
    """An affine map that counts how often it is traced."""

    traces = 0

    def inverse_and_log_det(self, y, condition=None):
        Counting.traces += 1
        return super().inverse_and_log_det(y, condition)


def counting(key, m):
    return Counting(jnp.eye(m) + 0.1 * jax.random.normal(key, (m, m)))


def bent(n=400, m=3):
    """Two domains whose last mechanism differs, seen through a curved mixing."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((2, n, m))
    rows[1, :, -1] = 0.5 * rows[1, :, -1] + 1.5
    rows[..., 0] += rows[..., -1] ** 2
    return rows @ rng.standard_normal((m, m)).T


def quick(data, **options):
    defaults = {"k": 1, "mixing": counting, "restarts": 1, "steps": 200, "batch": 100}
    given = defaults | options
    asked = {name: given.pop(name) for name in ("k", "valid", "progress") if name in given}
    return fit(KEY, data, engine=Gradient(**given), **asked)


@compiled
def row_log_probs(model, rows, d):
    return jax.vmap(lambda row: model.log_prob(row, d=d))(rows)


@compiled
def row_jacobians(f, eps):
    return jax.vmap(jax.jacfwd(f.transform))(eps)


@pytest.fixture(scope="module")
def flow_fit():
    return quick(
        bent(2000),
        mixing="real_nvp",
        mixing_settings=SMALL,
        restarts=2,
        steps=400,
        learning_rate=0.01,
    )


@pytest.mark.parametrize("scm", ["linear", "autoregressive"])
@pytest.mark.parametrize("pattern", ["canonical", "identity", "dense"])
def test_the_objective_is_the_models_log_prob(scm, pattern):
    m, num_domains = 3, 2
    maker, share = mixing_maker("leaky_linear"), sharing(m, num_domains, 1, pattern)
    params = initial(KEY, maker, scm, m, num_domains, 0.5)
    g, f = assemble(params, statics(maker, scm, m), share)
    x = jax.random.normal(KEY, (m, num_domains, 7))
    ours = compiled(log_probs)(params, statics(maker, scm, m), share, x)
    for d in range(num_domains):
        model = ILD(g, [jax.tree.map(lambda a, d=d: a[d] if eqx.is_array(a) else a, f)])
        theirs = row_log_probs(model, x[:, d].T, 0)
        np.testing.assert_allclose(ours[d], theirs, rtol=1e-9)


def test_a_flow_beats_the_gaussian_of_each_domain(flow_fit):
    data = bent(2000)
    gaussian = np.mean([multivariate_normal(d.mean(0), np.cov(d.T)).logpdf(d).mean() for d in data])
    assert flow_fit.log_likelihood > gaussian + 0.1


def test_the_reported_likelihood_is_the_returned_models():
    data, held = np.split(bent(), [360], axis=1)
    model = (result := quick(data, valid=held)).model
    exact = [row_log_probs(model, jnp.asarray(rows), d) for d, rows in enumerate(held)]
    assert result.log_likelihood == pytest.approx(np.mean(exact), abs=1e-9)


def test_shared_rows_are_shared(flow_fit):
    assert set(intervention_set(flow_fit.model).indices) == {2}
    assert all((f.scale > 0).all() for f in flow_fit.model.scms)


def test_identity_pattern_starts_from_the_identity():
    first, second = quick(bent(), pattern="identity").model.scms
    np.testing.assert_array_equal(first.affine_parts()[0], np.eye(3))
    assert set(intervention_set([first, second]).indices) == {2}


def test_dense_domains_may_differ_everywhere():
    result = quick(bent(), k=None)
    assert result.k is None
    assert set(intervention_set(result.model).indices) == {0, 1, 2}


def test_nonlinear_mechanisms_are_increasing_and_shared():
    result = quick(bent(), scm="autoregressive")
    assert set(intervention_set(result.model).indices) == {2}
    for f in result.model.scms:
        slopes = row_jacobians(f, jax.random.normal(KEY, (20, 3)))
        assert (jnp.diagonal(slopes, axis1=1, axis2=2) > 0).all()
        np.testing.assert_array_equal(np.triu(slopes, 1), 0)


def test_units_do_not_matter():
    data, unit, zero = bent(), np.array([1e-6, 3.0, 1e5]), np.array([0.0, 7.0, -1e4])
    one, two = quick(data), quick(data * unit + zero)
    here = one.model.move(jnp.asarray(data[0]), d=0, d_prime=1)
    there = two.model.move(jnp.asarray(data[0] * unit + zero), d=0, d_prime=1)
    np.testing.assert_allclose((there - zero) / unit, here, rtol=1e-5, atol=1e-5)
    shift = one.log_likelihood - two.log_likelihood
    assert shift == pytest.approx(np.log(unit).sum(), abs=1e-6)


def test_whitening_is_undone_exactly():
    tables = dict(enumerate(bent(300)))
    white = whitening(list(tables.values()))
    rows = [white(t) for t in tables.values()]
    covariance = np.mean([np.cov(w.T, ddof=0) for w in rows], axis=0)
    np.testing.assert_allclose(covariance, np.eye(3), atol=1e-9)
    for w, x in zip(rows, tables.values(), strict=True):
        np.testing.assert_allclose(push(white.bijection(), jnp.asarray(w)), x, atol=1e-9)


def test_names_and_unequal_domains_are_kept():
    a, b = bent()
    result = quick({"home": a, "away": b[:150]})
    assert result.model.domains == ("home", "away")


def test_a_second_fit_of_the_same_shape_traces_nothing():
    quick(bent())
    before = Counting.traces
    quick(bent() + 1.0, k=2, learning_rate=0.01)
    assert Counting.traces == before


def test_divergence_names_restart_and_step():
    with pytest.raises(FitError, match=r"restart \d has .* at step \d+.*learning_rate"):
        quick(bent(), learning_rate=1e300, clip=1e300)


def near_the_mean(params, given, x, step):
    return -((x - params[:, None, None]) ** 2).mean()


def at_the_mean(params, given, valid):
    return near_the_mean(params, given, valid, 0)


def test_a_start_ends_in_the_same_place_alone_and_beside_another():
    x = jnp.asarray(np.random.default_rng(0).standard_normal((2, 3, 50)))
    limits = jnp.asarray(5.0), jnp.asarray(0.0)
    ascent = Ascent(near_the_mean, at_the_mean, None, wrap_rows(x, 10), x, *limits, 10)
    schedule = Schedule(200, 0.1, 30, 2)
    starts = [jnp.zeros(2), jnp.ones(2)]
    both = race(stack(starts), ascent, schedule)
    for i, start in enumerate(starts):
        alone = race(stack([start]), ascent, schedule)
        np.testing.assert_allclose(restart(alone.state, 0), restart(both.state, i), atol=1e-12)
        assert alone.values()[0] == pytest.approx(both.values()[i])


def test_progress_is_told_after_every_chunk():
    seen = []
    quick(bent(), progress=lambda fraction, text: seen.append((fraction, text.split(":")[0])))
    assert seen == [(0.5, "step 100 of 200"), (1.0, "step 200 of 200")]


def test_learning_rates_rise_then_fall():
    rates = learning_rates(1000, 0.1)
    assert rates.max() <= 0.1
    assert rates[0] < rates[20]
    assert (np.diff(rates[20:]) <= 0).all()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (bent(50)[:1], "at least 2 domains"),
        (np.where(np.arange(3) == 1, np.nan, bent(50)), "finite; got nan at row 0, column 1"),
        (bent(50) * [1, 1, 0], r"columns \[2\] are constant"),
        (bent(50)[..., [0, 1, 1]], r"columns \[1, 2\] are collinear"),
        ({0: bent(50)[0], 1: bent(50, 2)[1]}, "same columns"),
    ],
)
def test_bad_data_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        quick(data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 9}, "k must be in 0..3"),
        ({"steps": 0}, "at least 1"),
        ({"valid": {"a": np.ones((2, 3)), "b": np.ones((2, 3))}}, "domains of data"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        quick(bent(50), **options)


def test_an_unknown_mixing_is_refused():
    with pytest.raises(ValueError, match="mixing must be one of .* got 'spilne'"):
        mixing_maker("spilne")


def test_the_flow_inverts(flow_fit):
    x = jnp.asarray(bent(20)[0])
    g = flow_fit.model.mixing
    np.testing.assert_allclose(push(g, pull(g, x)), x, atol=1e-8)
