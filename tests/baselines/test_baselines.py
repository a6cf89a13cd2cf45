"""Every baseline through the same checks, and each against its closed form."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from elsewhere.baselines import (
    BASELINES,
    ComBat,
    EntropicOT,
    GaussianOT,
    Identity,
    MeanShift,
    MeanVariance,
    Quantile,
    counterfactuals,
    entropic_ot,
)
from elsewhere.baselines.gaussian_ot import monge_matrix
from elsewhere.baselines.quantile import match_quantiles
from elsewhere.errors import DomainError

OPTIONS = {"entropic_ot": {"rows": 100}}
EVERY = pytest.mark.parametrize("name", sorted(BASELINES))
EXACT = pytest.mark.parametrize("name", sorted(set(BASELINES) - {"entropic_ot"}))


def make(name):
    return BASELINES[name](**OPTIONS.get(name, {}))


def samples(seed=0, D=3, n=100, m=2):
    rng = np.random.default_rng(seed)
    mixes = rng.normal(size=(D, m, m)) + 2 * np.eye(m)
    return [rng.normal(size=(n, m)) @ A + 3 * rng.normal(size=m) for A in mixes]


def covariance(seed, m, rank=None):
    A = np.random.default_rng(seed).normal(size=(m, m if rank is None else rank))
    return A @ A.T


@EVERY
def test_a_domain_to_itself_is_the_identity(name):
    x = samples()
    fitted = make(name).fit(x)
    np.testing.assert_array_equal(fitted.move(x[1], d=1, d_prime=1), x[1])


@EXACT
def test_equal_domains_are_left_as_they_are(name):
    x = samples(D=1)[0]
    new = np.random.default_rng(1).normal(scale=9, size=(50, 2))  # most lie outside the sample
    fitted = make(name).fit({"a": x, "b": x[::-1]})
    np.testing.assert_allclose(fitted.move(new, d="a", d_prime="b"), new, atol=1e-9)


@EVERY
def test_names_and_positions_agree_and_the_input_is_not_changed(name):
    x = samples()
    copies = [table.copy() for table in x]
    by_name = make(name).fit(dict(zip("abc", x, strict=True))).move(x[0], d="a", d_prime="c")
    by_position = make(name).fit(x).move(x[0], d=0, d_prime=2)
    np.testing.assert_array_equal(by_name, by_position)
    assert all((table == copy).all() for table, copy in zip(x, copies, strict=True))


@EVERY
def test_rows_are_moved_one_by_one(name):
    x = samples()
    fitted = make(name).fit(x)
    together = fitted.move(x[0][:5], d=0, d_prime=1)
    alone = [fitted.move(row[None], d=0, d_prime=1)[0] for row in x[0][:5]]
    np.testing.assert_allclose(together, alone, rtol=1e-9)
    assert fitted.move(np.zeros((0, 2)), d=0, d_prime=1).shape == (0, 2)


@EVERY
def test_constant_columns_are_left_unchanged(name):
    x = [np.column_stack([table, np.full(len(table), 0.1 * (i + 1))])
         for i, table in enumerate(samples())]  # fmt: skip
    fitted = make(name).fit(x)
    moved = fitted.move(x[0], d=0, d_prime=1)
    plain = make(name).fit(samples()).move(samples()[0], d=0, d_prime=1)
    assert fitted.moved.tolist() == [True, True, False]
    np.testing.assert_array_equal(moved[:, 2], x[0][:, 2])
    np.testing.assert_allclose(moved[:, :2], plain, rtol=1e-6)


@EVERY
def test_nothing_but_constants_is_left_unchanged(name):
    fitted = make(name).fit([np.zeros((3, 2)), np.ones((3, 2))])
    np.testing.assert_array_equal(fitted.move([[5.0, 6.0]], d=0, d_prime=1), [[5.0, 6.0]])


@EVERY
@pytest.mark.parametrize("m", [1, 3])
def test_all_pairs_are_laid_out_by_domain(name, m):
    x = np.stack(samples(m=m))
    fitted = make(name).fit(x)
    moved = counterfactuals(fitted, x[:, :7])
    assert moved.shape == (3, 3, 7, m)
    np.testing.assert_array_equal(moved[2, 0], fitted.move(x[2, :7], d=2, d_prime=0))
    assert np.isfinite(moved).all()


@pytest.mark.parametrize("name", sorted(set(BASELINES) - {"identity"}))
def test_the_mean_arrives(name):
    x = samples(n=400)
    moved = make(name).fit(x).move(x[0], d=0, d_prime=1)
    gap, before = np.abs(moved.mean(0) - x[1].mean(0)), np.abs(x[0].mean(0) - x[1].mean(0))
    assert (gap < 0.2 * x[1].std(0)).all()
    assert gap.max() < 0.2 * before.max()


@EVERY
def test_domains_may_differ_in_size(name):
    x = [samples()[0], samples()[1][:2]]
    fitted = make(name).fit(x)
    for d, d_prime in ((0, 1), (1, 0)):
        moved = fitted.move(x[d], d=d, d_prime=d_prime)
        assert moved.shape == x[d].shape
        assert np.isfinite(moved).all()


@EXACT
@settings(max_examples=40, deadline=None)
@given(
    st.lists(arrays(float, (4, 2), elements=st.floats(-1e6, 1e6, width=32)), min_size=2, max_size=3)
)
def test_any_tables_give_finite_answers(name, tables):
    fitted = make(name).fit(tables)
    assert np.isfinite(fitted.move(tables[0], d=0, d_prime=1)).all()


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([], "at least one domain"),
        ([np.zeros((1, 2)), np.zeros((4, 2))], r"at least 2 rows in every domain.*\[0\]"),
        ([np.zeros(4), np.zeros(4)], r"x\[0\] must have shape \[rows, columns\]"),
        ([np.zeros((4, 2)), np.zeros((4, 3))], "same columns in every domain"),
        ({"a": np.array([[0.0], [np.nan]])}, r"x\['a'\] must be finite; got nan at row 1"),
        ({"a": np.array([[0.0], [np.inf]])}, "must be finite; got inf"),
    ],
)
def test_unusable_samples_are_named(x, message):
    with pytest.raises(ValueError, match=message):
        Identity().fit(x)


def test_unusable_questions_are_named():
    fitted = Identity().fit(dict(zip("abc", samples(), strict=True)))
    with pytest.raises(DomainError, match=r"domain 'z' was not in the fit.*'a', 'b', 'c'"):
        fitted.move(np.zeros((1, 2)), d="a", d_prime="z")
    with pytest.raises(ValueError, match="2 columns of the fit; got 3"):
        fitted.move(np.zeros((1, 3)), d="a", d_prime="b")
    with pytest.raises(ValueError, match="x must be finite"):
        fitted.move([[np.nan, 0.0]], d="a", d_prime="b")
    with pytest.raises(ValueError, match="D = 3"):
        counterfactuals(fitted, np.zeros((2, 4, 2)))


def test_mean_shift_matches_means_and_nothing_else():
    x = samples()
    fitted = MeanShift().fit(x)
    moved = fitted.move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(moved.mean(0), x[1].mean(0))
    np.testing.assert_allclose(moved - x[0], np.tile(x[1].mean(0) - x[0].mean(0), (100, 1)))


def test_mean_variance_matches_both_and_returns():
    x = samples()
    fitted = MeanVariance().fit(x)
    moved = fitted.move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(moved.mean(0), x[1].mean(0))
    np.testing.assert_allclose(moved.std(0), x[1].std(0))
    np.testing.assert_allclose(fitted.move(moved, d=1, d_prime=0), x[0])


def test_quantiles_of_the_sample_become_the_other_s():
    x = samples(n=99)
    moved = Quantile().fit(x).move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(np.sort(moved, axis=0), np.sort(x[1], axis=0))
    assert (np.argsort(moved, axis=0) == np.argsort(x[0], axis=0)).all()


def test_quantiles_recover_a_monotone_map_and_its_tails_are_straight():
    u = np.linspace(-2, 2, 2001)[:, None]
    fitted = Quantile().fit([u, np.exp(u)])
    inside = np.array([[-1.2345], [0.1234], [1.7]])
    np.testing.assert_allclose(fitted.move(inside, d=0, d_prime=1), np.exp(inside), rtol=1e-4)
    tail = fitted.move([[2.0], [3.0], [4.0]], d=0, d_prime=1)[:, 0]
    slope = np.exp(u).std() / u.std()
    np.testing.assert_allclose(np.diff(tail), slope)
    assert tail[0] == pytest.approx(np.exp(2))


def test_quantiles_keep_atoms():
    target = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 2.0])
    moved = match_quantiles(np.arange(6.0), np.arange(6.0), target)
    np.testing.assert_allclose(moved, target, atol=1e-12)
    back = match_quantiles(np.zeros(1), target, np.arange(6.0))
    np.testing.assert_allclose(back, [1.5])  # the middle of the four that share a rank


@given(
    arrays(float, 12, elements=st.floats(-100, 100, width=32)),
    arrays(float, 9, elements=st.floats(-100, 100, width=32)),
)
def test_quantile_matching_is_monotone(source, target):
    source, target = np.sort(source), np.sort(target)
    source[-1] += 1.0  # so that it varies
    moved = match_quantiles(np.linspace(-200, 200, 101), source, target)
    assert (np.diff(moved) >= -1e-9).all()


@given(st.integers(0, 999), st.integers(1, 6))
@settings(deadline=None)
def test_the_monge_matrix_carries_one_covariance_to_the_other(seed, m):
    S, T = covariance(seed, m) + 0.01 * np.eye(m), covariance(seed + 1, m)
    A = monge_matrix(S, T)
    np.testing.assert_allclose(A @ S @ A, T, atol=1e-8 * np.abs(T).max())
    np.testing.assert_allclose(A, A.T, atol=1e-8 * np.abs(A).max())
    assert np.linalg.eigvalsh((A + A.T) / 2)[0] > -1e-8 * np.abs(A).max()


@pytest.mark.parametrize("rank", [0, 1, 3])
def test_the_monge_matrix_of_a_singular_covariance(rank):
    S, T = covariance(0, 4, rank), covariance(1, 4, rank)
    np.testing.assert_allclose(monge_matrix(S, S), np.eye(4), atol=1e-6)
    assert np.isfinite(monge_matrix(S, T)).all()
    full = covariance(2, 4)
    A = monge_matrix(full, T)
    np.testing.assert_allclose(A @ full @ A, T, atol=1e-7)


def test_commuting_gaussians_have_the_ratio_of_their_roots():
    A = monge_matrix(np.diag([1.0, 4.0]), np.diag([9.0, 1.0]))
    np.testing.assert_allclose(A, np.diag([3.0, 0.5]), atol=1e-12)


def test_gaussian_ot_pushes_mean_and_covariance_and_returns():
    x = samples(m=3)
    fitted = GaussianOT().fit(x)
    moved = fitted.move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(moved.mean(0), x[1].mean(0))
    np.testing.assert_allclose(np.cov(moved.T), np.cov(x[1].T), rtol=1e-8)
    np.testing.assert_allclose(fitted.move(moved, d=1, d_prime=0), x[0], rtol=1e-6)


def test_gaussian_ot_with_fewer_rows_than_columns():
    x = [np.random.default_rng(i).normal(size=(4, 9)) for i in range(2)]
    moved = GaussianOT().fit(x).move(x[0], d=0, d_prime=1)
    assert np.isfinite(moved).all()
    np.testing.assert_allclose(moved.mean(0), x[1].mean(0))


@pytest.mark.parametrize("regularisation", [0.0, 0.3])
def test_gaussian_ot_in_the_span_of_few_rows_is_that_of_the_whole_space(regularisation):
    x = [np.random.default_rng(i).normal(i, 1 + i, size=(5 + i, 12)) for i in range(2)]
    moved = GaussianOT(regularisation).fit(x).move(x[0], d=0, d_prime=1)
    S, T = (np.cov(table.T) for table in x)
    ridge = regularisation * np.trace(S + T) / 24 * np.eye(12)
    A = monge_matrix(S + ridge, T + ridge)
    expected = x[1].mean(0) + (x[0] - x[0].mean(0)) @ A.T
    np.testing.assert_allclose(moved, expected, atol=1e-6)


def test_gaussian_ot_with_much_regularisation_is_a_mean_shift():
    x = samples()
    moved = GaussianOT(regularisation=1e8).fit(x).move(x[0], d=0, d_prime=1)
    shifted = MeanShift().fit(x).move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(moved, shifted, atol=1e-5)
    with pytest.raises(ValueError, match="regularisation must be finite and not negative; got -1"):
        GaussianOT(regularisation=-1.0)


def test_gaussian_ot_of_a_very_wide_table_needs_no_square_matrix():
    x = [np.random.default_rng(i).normal(size=(6, 30_000)) for i in range(2)]
    step = GaussianOT().fit(x).step
    assert step.covariances.shape == (2, 12, 12)
    assert step.basis.shape == (12, 30_000)


def test_combat_tends_to_mean_variance_matching():
    def gap(n):
        x = samples(n=n, m=5)
        return np.abs(
            ComBat().fit(x).move(x[0], d=0, d_prime=1)
            - MeanVariance().fit(x).move(x[0], d=0, d_prime=1)
        ).max()

    assert gap(100) > 0.1
    assert gap(100_000) < gap(100) / 100


def test_combat_shrinks_towards_what_the_features_share():
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(6, 200)), rng.normal(1.0, 2.0, size=(6, 200))]
    shrunk, plain = (b.fit(x).step for b in (ComBat(), MeanVariance()))
    shift, plain_shift = (step.location[1] - step.location[0] for step in (shrunk, plain))
    ratio, plain_ratio = (np.log(step.scale[1] / step.scale[0]) for step in (shrunk, plain))
    assert shift.std() < 0.8 * plain_shift.std()
    assert ratio.std() < 0.8 * plain_ratio.std()
    assert shift.mean() == pytest.approx(1.0, abs=0.15)
    assert np.exp(ratio.mean()) == pytest.approx(2.0, abs=0.15)


def test_combat_solves_its_two_equations():
    x = [np.random.default_rng(i).normal(i, 1 + i, size=(8 + i, 7)) for i in range(3)]
    step = ComBat().fit(x).step
    n = np.array([8, 9, 10])[:, None]
    alpha = np.concatenate(x).mean(0)
    sigma2 = sum(((t - t.mean(0)) ** 2).sum(0) for t in x) / n.sum()
    for d, table in enumerate(x):
        z = (table - alpha) / np.sqrt(sigma2)
        gamma = (step.location[d] - alpha) / np.sqrt(sigma2)
        delta2 = step.scale[d] ** 2 / sigma2
        hat, spread = z.mean(0), z.var(0, ddof=1)
        tau2, V, S2 = hat.var(ddof=1), spread.mean(), spread.var(ddof=1)
        lam, theta = (V**2 + 2 * S2) / S2, (V**3 + V * S2) / S2
        size = len(table)
        expected = (size * tau2 * hat + delta2 * hat.mean()) / (size * tau2 + delta2)
        np.testing.assert_allclose(gamma, expected, rtol=1e-6, atol=1e-7)
        square = ((z - gamma) ** 2).sum(0)
        np.testing.assert_allclose(delta2, (theta + square / 2) / (size / 2 + lam - 1), rtol=1e-6)


def test_combat_says_when_it_did_not_settle():
    with pytest.raises(RuntimeError, match="max_iterations=1"):
        ComBat(max_iterations=1).fit(samples(n=5, m=4))


def test_entropic_ot_tends_to_gaussian_ot_between_gaussians():
    x = samples(n=500)
    new = np.random.default_rng(9).normal(size=(50, 2)) @ np.linalg.cholesky(np.cov(x[0].T)).T
    new = new + x[0].mean(0)
    exact = GaussianOT().fit(x).move(new, d=0, d_prime=1)
    close = EntropicOT(rows=500, relative_epsilon=0.02).fit(x).move(new, d=0, d_prime=1)
    nothing = np.mean((new - exact) ** 2)
    assert np.mean((close - exact) ** 2) < 0.05 * nothing


def test_entropic_ot_with_large_epsilon_answers_the_mean():
    x = samples()
    moved = EntropicOT(relative_epsilon=1e4).fit(x).move(x[0], d=0, d_prime=1)
    np.testing.assert_allclose(moved, np.tile(x[1].mean(0), (100, 1)), atol=0.05)


def test_entropic_ot_moves_long_tables_in_chunks(monkeypatch):
    x = samples()
    fitted = make("entropic_ot").fit(x)
    whole = fitted.move(x[0], d=0, d_prime=1)
    monkeypatch.setattr(entropic_ot, "CHUNK", 7)
    np.testing.assert_allclose(fitted.move(x[0], d=0, d_prime=1), whole)


def test_entropic_ot_names_its_extra_when_missing(monkeypatch):
    entropic_ot._sinkhorn.cache_clear()
    monkeypatch.setitem(sys.modules, "ott.geometry.pointcloud", None)
    with pytest.raises(ImportError, match=r"elsewhere\[ot\]"):
        EntropicOT().fit(samples())


def test_entropic_ot_names_bad_options_and_says_when_it_did_not_converge():
    with pytest.raises(ValueError, match="relative_epsilon positive"):
        EntropicOT(relative_epsilon=0.0)
    with pytest.raises(RuntimeError, match="max_iterations=10"):
        EntropicOT(relative_epsilon=1e-3, max_iterations=10).fit(samples())
