"""The profile likelihood against exact oracles, in float64."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import norm

from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.profile.axes.ascent import value_and_gradient
from elsewhere.fitting.profile.axes.climb import exact, one_hot
from elsewhere.fitting.profile.axes.lbfgs import minimise_each
from elsewhere.fitting.profile.axes.linear_ascent import linear_value_and_gradient
from elsewhere.fitting.profile.axes.profile import WeightedRows, profile, weighted
from elsewhere.fitting.profile.kink import kink_of
from elsewhere.fitting.profile.likelihood import (
    mean_at_best,
    mean_over_domains,
    paired,
    row_log_likelihoods,
)
from elsewhere.fitting.profile.moments import LatentMoments, closed_form, latent_moments
from elsewhere.fitting.profile.problem import sigma_points
from elsewhere.fitting.profile.rows import padded, rows_of
from elsewhere.fitting.profile.whitening import assemble, whitening

KINDS = np.array([SHARED, OWN, OWN_BUT_SCALE, SHARED])
M = len(KINDS)


def tables(seed=0, sizes=(300, 200, 250), m=M):
    rng = np.random.default_rng(seed)
    return [
        rng.standard_normal((n, m)) @ rng.standard_normal((m, m)) + d for d, n in enumerate(sizes)
    ]


def some_axes(seed=1, m=M):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [np.eye(m) + 0.5 * rng.standard_normal((m, m)), rng.standard_normal((m, 1))], 1
    )


def packed(given):
    return weighted(rows_of(given, np.float64))


def profile_of(axes, given, slope, width=None, blur=0.0):
    kinds = jnp.asarray(np.moveaxis(np.eye(3)[KINDS], -1, -2))
    width = None if width is None else jnp.asarray(width)
    return float(profile(jnp.asarray(axes), packed(given), kinds, kink_of(slope), width, blur))


@pytest.mark.parametrize("slope", [0.5, 0.2, 1.0, 3.0])
def test_the_profile_is_the_mean_log_prob_of_the_assembled_model(slope):
    given, axes = tables(), some_axes()
    white = whitening(given)
    whitened = [white(table) for table in given]
    moments = latent_moments(axes, whitened, slope)
    mechanisms = closed_form(moments, KINDS)
    model = assemble(axes, mechanisms, white, slope, ["a", "b", "c"])
    means = [
        jax.vmap(lambda x, d=d: model.log_prob(x, d=d))(jnp.asarray(table)).mean()
        for d, table in zip("abc", given, strict=True)
    ]
    constant = white.log_det - M / 2 * np.log(2 * np.pi * np.e)
    assert profile_of(axes, whitened, slope) + constant == pytest.approx(np.mean(means), abs=1e-9)
    rows = row_log_likelihoods(axes, mechanisms, whitened, slope)
    assert mean_over_domains(rows) + white.log_det == pytest.approx(np.mean(means), abs=1e-9)
    at_best = mean_at_best(axes, mechanisms, moments, slope)
    assert at_best == pytest.approx(mean_over_domains(rows), abs=1e-9)


def test_closed_form_is_least_squares():
    given, axes = tables(sizes=(50, 50)), some_axes()
    moments = latent_moments(axes, given, 0.5)
    found = closed_form(moments, KINDS)
    z = [np.where(u < 0, 2 * u, u) for u in (t @ axes[:, :-1].T + axes[:, -1] for t in given)]
    for j, kind in enumerate(KINDS):
        for d in range(2):
            rows = np.concatenate(z) if kind == SHARED else z[d]
            design = np.column_stack([rows[:, :j], np.ones(len(rows))])
            solution = np.linalg.lstsq(design, rows[:, j], rcond=None)[0]
            np.testing.assert_allclose(found.weights[d, j, :j], solution[:-1], atol=1e-9)
            np.testing.assert_allclose(found.biases[d, j], solution[-1], atol=1e-9)
            if kind != OWN_BUT_SCALE:
                deviation = np.sqrt(np.mean((rows[:, j] - design @ solution) ** 2))
                np.testing.assert_allclose(found.scales[d, j], deviation, atol=1e-9)
    assert found.scales[0, 2] == found.scales[1, 2]
    assert (found.weights[0, [0, 3]] == found.weights[1, [0, 3]]).all()
    assert not np.triu(found.weights).any()


@pytest.mark.parametrize("slope", [0.5, 3.0])
def test_the_smoothed_profile_tends_to_the_exact_one(slope):
    given, axes = tables(), some_axes()
    exact = profile_of(axes, given, slope)
    gaps = [abs(profile_of(axes, given, slope, width) - exact) for width in (0.3, 0.03, 1e-5)]
    assert gaps[2] < 1e-3
    assert gaps[2] < gaps[0]


@pytest.mark.parametrize("blur", [1e-3, 0.5, 20.0])
def test_blur_is_noise_in_the_rows(blur):
    """Each row moved both ways along every axis by blur √m has the covariance of such noise."""
    given, axes = tables(), some_axes()
    steps = blur * np.sqrt(M) * np.concatenate([np.eye(M), -np.eye(M)])
    noisy = [(table[:, None] + steps).reshape(-1, M) for table in given]
    expected = profile_of(axes, noisy, 1.0)
    assert profile_of(axes, given, 1.0, blur=blur) == pytest.approx(expected, abs=1e-9)


STACK = np.stack([some_axes(seed) for seed in range(3)])
KIND_STACK = one_hot(np.array([KINDS, KINDS[::-1], [OWN] * M]))


def by_automatic_differentiation(given, slope, width, blur=0.0):
    def one(axes, kind):
        return jax.value_and_grad(profile)(axes, packed(given), kind, kink_of(slope), width, blur)

    return jax.vmap(one)(jnp.asarray(STACK), jnp.asarray(KIND_STACK))


@pytest.mark.parametrize("slope", [0.5, 3.0])
@pytest.mark.parametrize("sizes", [(300, 200, 250), (40,)])
@pytest.mark.parametrize("blur", [0.0, 0.4])
def test_the_gradient_of_a_stack_is_that_of_automatic_differentiation(slope, sizes, blur):
    given = tables(sizes=sizes)
    rows, smooth = rows_of(given, np.float64).packed, np.array([0.2, blur])
    found = value_and_gradient(STACK, rows, KIND_STACK, kink_of(slope), smooth)
    truth = by_automatic_differentiation(given, slope, jnp.asarray(0.2), blur)
    for mine, expected in zip(found, truth, strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-9)


@pytest.mark.parametrize("sizes", [(300, 200, 250), (40,)])
def test_with_a_linear_mixing_moments_give_value_and_gradient(sizes):
    given = tables(sizes=sizes)
    found = linear_value_and_gradient(STACK, rows_of(given, np.float64), KIND_STACK)
    for mine, expected in zip(found, by_automatic_differentiation(given, 1.0, None), strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-9)


@pytest.mark.parametrize("slope", [0.5, 1.0])
def test_the_exact_likelihood_is_that_of_the_profile_and_none_where_axes_are_parallel(slope):
    given, kinds = tables(), np.tile(KINDS, (2, 1))
    parallel = some_axes()
    parallel[1] = parallel[0]
    found = exact(np.stack([some_axes(), parallel]), rows_of(given), kinds, kink_of(slope))
    assert found[0] == pytest.approx(profile_of(some_axes(), given, slope), abs=1e-4)
    assert found[1] < -5 or found[1] == -np.inf


@pytest.mark.parametrize("slope", [0.5, 0.2, 3.0])
def test_the_shift_removes_the_first_order_bias_of_the_kink(slope):
    z = norm.ppf((np.arange(50_000) + 0.5) / 50_000)[None, None]
    values_of_x, weights = np.where(z < 0, slope * z, z), np.full((1, z.size), 1 / z.size)
    rows = WeightedRows(jnp.asarray(values_of_x), jnp.asarray(weights))
    offsets = jnp.linspace(-0.04, 0.04, 161)
    kinds = jnp.array([[0.0], [1.0], [0.0]])

    @jax.jit
    def values(kink):
        axes = jnp.stack([jnp.ones_like(offsets), offsets], axis=1)[:, None]
        return jax.lax.map(lambda a: profile(a, rows, kinds, kink, jnp.asarray(0.025)), axes)

    kink = kink_of(slope)
    with_shift, without = (
        abs(offsets[values(k).argmax()]) for k in (kink, kink._replace(shift=0.0))
    )
    assert with_shift < without / 3


def test_padded_rows_have_no_weight():
    rows = rows_of(tables(sizes=(33, 20)))
    weights = weighted(rows).weights
    assert rows.packed.values.shape == (2, M + 1, 40)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=1e-6)
    assert not weights[1, 20:].any()
    assert rows.first(25) is rows.first(25)
    np.testing.assert_allclose(weighted(rows.first(25)).weights.sum(axis=1), 1, rtol=1e-6)


def test_numbers_of_rows_are_padded_to_four_sizes_for_each_doubling():
    sizes = [padded(n) for n in range(1_024, 2_049)]
    assert sorted(set(sizes)) == [1024, 1280, 1536, 1792, 2048]
    assert all(size >= n for size, n in zip(sizes, range(1_024, 2_049), strict=True))


def test_sigma_points_have_the_moments_of_the_rows():
    for points, table in zip(sigma_points(tables()), tables(), strict=True):
        np.testing.assert_allclose(points.mean(0), table.mean(0), atol=1e-12)
        np.testing.assert_allclose(
            np.cov(points.T, bias=True), np.cov(table.T, bias=True), atol=1e-9
        )


def test_whitened_rows_have_unit_mean_covariance_in_any_units():
    given = tables()
    units = 10.0 ** np.array([-6, 6, 0, 3])
    white, rescaled = whitening(given), whitening([table * units for table in given])
    covariance = np.mean([np.cov(white(table).T, bias=True) for table in given], axis=0)
    np.testing.assert_allclose(covariance, np.eye(M), atol=1e-9)
    np.testing.assert_allclose(rescaled(given[0] * units), white(given[0]), atol=1e-9)


def test_pooled_moments_are_those_of_all_rows():
    moments = latent_moments(some_axes(), tables(sizes=(40, 40)), 0.5)
    assert isinstance(moments, LatentMoments)
    u = np.concatenate(tables(sizes=(40, 40))) @ some_axes()[:, :-1].T + some_axes()[:, -1]
    z = np.where(u < 0, 2 * u, u)
    np.testing.assert_allclose(moments.pooled, np.cov(z.T, bias=True), atol=1e-9)


def test_paired_differences_weigh_domains_alike():
    mean, error = paired([np.array([1.0, 3.0]), np.array([5.0, 5.0])], [np.zeros(2), np.ones(2)])
    assert mean == 3.0
    assert error == pytest.approx(np.sqrt(2 / 2) / 2)


def minimise(function, start, steps, **options):
    each = jax.jit(jax.vmap(jax.value_and_grad(function)))

    def objective(points, which):
        values, slopes = each(jnp.asarray(points))
        return np.array(values), np.array(slopes)

    return minimise_each(objective, np.atleast_2d(start), steps, **options)


def quadratic(p):
    return 0.5 * (jnp.logspace(0, 3, 6) * (p - 1) ** 2).sum()


def rosenbrock(p):
    return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2


@pytest.mark.parametrize(
    ("function", "start"), [(quadratic, np.zeros(6)), (rosenbrock, np.array([-1.2, 1.0]))]
)
def test_lbfgs_finds_the_minimum(function, start):
    end = minimise(function, start, 200)
    np.testing.assert_allclose(end.points, 1, atol=1e-4)
    assert end.values < 1e-8


STARTS = np.array([[1.0, -2.0], [3.0, 0.5], [0.0, 0.0]])


def cosh(p):
    return (jnp.cosh(p) * jnp.array([1.0, 9.0])).sum()


def test_lbfgs_from_many_starts_is_lbfgs_from_each():
    together = minimise(cosh, STARTS, 15)
    for i, start in enumerate(STARTS):
        alone = minimise(cosh, start, 15)
        np.testing.assert_allclose(together.points[i], alone.points[0], atol=1e-12)
        assert together.accepted[i] == alone.accepted[0]


def test_searches_that_have_arrived_are_not_evaluated_again():
    counts = np.zeros(3, int)

    def objective(points, which):
        counts[which] += 1
        return np.cosh(points).sum(axis=1), np.sinh(points)

    ends = minimise_each(objective, STARTS, 60, tolerance=1e-9)
    np.testing.assert_allclose(ends.points, 0, atol=1e-4)
    assert counts[2] < counts[0] < 61
    assert counts[2] < counts[1]


def test_lbfgs_refuses_trials_that_are_not_finite():
    end = minimise(lambda p: -jnp.log(1 - p[0]) - p[0] * 3, np.zeros(1), 60)
    assert np.isfinite(end.values)
    np.testing.assert_allclose(end.points, 2 / 3, atol=1e-4)


def test_one_hot_puts_the_kind_before_the_variable():
    assert one_hot(KINDS[None]).shape == (1, 3, M)
    assert one_hot(KINDS)[OWN].tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("slope", [0.0, -1.0, np.inf])
def test_a_slope_that_is_not_positive_is_refused(slope):
    with pytest.raises(ValueError, match="slope must be positive"):
        kink_of(float(slope))
