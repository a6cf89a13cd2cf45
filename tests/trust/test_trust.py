"""Trust, on models that are right, and on models that are wrong in a known way."""

import json
from copy import copy
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.errors import DomainError
from elsewhere.fitting import with_mirrors
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.trust import calibrated_intervals, trust_report
from elsewhere.trust.assumptions import assumptions
from elsewhere.trust.case import make_case
from elsewhere.trust.checks import CHECKS
from elsewhere.trust.fit_quality import fit_quality
from elsewhere.trust.invariants import audit
from elsewhere.trust.judgement import Judgement, graded, listed, percent, plain, worst
from elsewhere.trust.moves import moves
from elsewhere.trust.planted import OURS, planted_truth
from elsewhere.trust.spread import mirrored_width, spread_over_fits
from elsewhere.trust.support import far, off_support, support, unlikely
from elsewhere.trust.two_sample import energy_test, two_sample
from fitted import NAMES, estimator_with, table_of, true_model

pytestmark = pytest.mark.usefixtures("compile_fast")


@pytest.fixture(scope="module")
def truth():
    return true_model()


@pytest.fixture(scope="module")
def table(truth):
    return table_of(truth)


@pytest.fixture(scope="module")
def case(truth, table):
    return make_case(estimator_with(table[0], truth), *table, 0)


def with_scm(truth, d, scm):
    scms = list(truth.scms)
    scms[d] = scm
    return ILD(truth.mixing, scms, truth.domains)


@pytest.fixture(scope="module")
def shifted(truth):
    """A model whose last domain has its intervened mechanisms in a wrong place."""
    f = truth.scms[2]
    return with_scm(truth, 2, LinearSCM(f.weights, f.scale, f.bias.at[1].add(3.0)))


@pytest.fixture(scope="module")
def wrong_case(shifted, table):
    return make_case(estimator_with(table[0], shifted), *table, 0)


def test_the_truth_is_trusted(truth, table):
    estimator = estimator_with(table[0], truth)
    found = trust_report(estimator, *table, planted=False)
    assert found.warnings == ()
    assert found.level == "good"
    assert found.planted is None
    assert set(found.verdicts) == set(CHECKS) - {
        "planted",
        "confounding",
        "own_evidence",
        "case_mix",
    }
    assert json.loads(json.dumps(found.to_dict()))["level"] == "good"


def test_a_wrong_domain_is_noticed_by_likeness_and_support(wrong_case):
    likeness, found = two_sample(wrong_case), support(wrong_case)
    assert likeness.verdict.warns
    assert "Cedar" in likeness.verdict.words
    odd = {(a.source, a.target) for a in likeness.pairs if a.p_value < 0.01}
    assert odd >= {("Ash", "Cedar"), ("Birch", "Cedar")}
    assert ("Ash", "Birch") not in odd
    assert found.verdict.warns
    assert off_support(wrong_case, ("Cedar", "Ash")).mean() > 0.05


def test_rows_unlike_those_fitted_are_noticed(wrong_case, case):
    assert "these rows are unlike those fitted in Cedar" in fit_quality(wrong_case).verdict.words
    good = fit_quality(case)
    assert good.verdict.level == "good"
    for domain in good.domains:
        assert domain.gaussian_gain.mean < 0
        assert domain.dense_gain.surely < 0.003


def test_sharing_too_much_is_noticed_and_named(truth, table):
    one = ILD(truth.mixing, [truth.scms[0]] * 3, truth.domains)
    found = make_case(estimator_with(table[0], one), *table, 0)
    quality = fit_quality(found)
    assert quality.verdict.level == "bad"
    assert "what all domains share does not hold in" in quality.verdict.words
    said = assumptions(found, quality)
    assert "all else is the same everywhere" in said.verdict.words
    assert {a.name for a in said.assumptions if a.verdict.level == "unknown"} >= {"no selection"}


def test_noise_that_is_not_normal_or_independent_is_noticed(truth, table):
    X, labels = table
    eps = np.random.default_rng(0).exponential(size=X.shape) - 1
    eps[:, 2] = eps[:, 1] + 0.3 * eps[:, 2]
    x = np.concatenate(
        [
            jax.vmap(lambda e, d=d: truth.mixing.transform(truth.scm(d).transform(e)))(
                jnp.asarray(eps[labels == d])
            )
            for d in NAMES
        ]
    )
    odd = X.copy()
    odd[:] = x
    found = make_case(estimator_with(odd, truth), odd, labels, 0)
    said = {a.name: a.verdict for a in assumptions(found, fit_quality(found)).assumptions}
    assert said["normal noise"].level == "bad"
    assert said["independent noise"].level == "bad"


def test_what_the_signs_of_noises_are_worth_is_said(case):
    """Against all mirrored models, moved to every other domain."""
    every = with_mirrors(case.estimator.result_, most=999)
    wide = [
        np.ptp(every.counterfactuals(case.linked[d][:200], d=d, d_prime=e), axis=0) / case.unit
        for d, e in case.pairs
    ]
    assert mirrored_width(case) == pytest.approx(np.sqrt(np.mean(np.square(wide))), rel=1e-3)
    said = {a.name: a.verdict for a in assumptions(case, fit_quality(case)).assumptions}
    assert said["same direction"].level == "unknown"
    assert f"differ by {mirrored_width(case):.2g} deviations" in said["same direction"].words


def test_where_pairs_told_the_signs_nothing_is_said_of_them(case):
    estimator = copy(case.estimator)
    estimator.result_ = replace(estimator.result_, signs_known=True)
    assert mirrored_width(replace(case, estimator=estimator)) == 0


def test_the_spread_is_measured_against_the_effect(truth, shifted, table, case):
    assert "Only one model was found" in spread_over_fits(case).verdict.words
    assert spread_over_fits(case).verdict.level == "unknown"
    two = make_case(estimator_with(table[0], truth, shifted), *table, 0)
    found = spread_over_fits(two)
    assert found.candidates == 2
    by_pair = {(a.source, a.target): a for a in found.pairs}
    assert max(by_pair["Ash", "Birch"].spread) < 1e-6
    assert max(by_pair["Ash", "Cedar"].spread) > 0.5
    assert by_pair["Ash", "Birch"].exceeding == 0


def test_an_invariant_that_holds_and_one_that_does_not(case):
    rank = {"constant": lambda X: np.zeros(len(X)) + X.index.to_numpy() * 0.0}
    assert audit(case, rank).verdict.level == "good"
    found = audit(case, ["a", lambda X: X["a"] - X["b"]])
    assert [one.name for one in found.invariants] == ["a", "<lambda>"]
    assert found.verdict.level == "bad"
    assert "Did real signal move?" in found.verdict.words
    assert audit(case, None).verdict.level == "unknown"
    assert audit(case, "b").invariants[0].name == "b"


@pytest.mark.parametrize(
    ("invariants", "message"),
    [
        (["z"], r"invariants must be columns of X, \['a', 'b', 'c'\]"),
        ({"f": lambda X: X}, "the invariant 'f' must give one finite number per row"),
    ],
)
def test_bad_invariants(case, invariants, message):
    with pytest.raises(ValueError, match=message):
        audit(case, invariants)


def test_moves_are_those_of_the_model(case):
    found = moves(case)
    sizes = [move.size for move in found.moves]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 18
    top = found.moves[0]
    change = case.moved[top.source, top.target] - case.linked[top.source]
    j = case.names.index(top.column)
    assert top.size == pytest.approx(np.sqrt((change[:, j] ** 2).mean()) / case.unit[j])
    assert top.median_before == pytest.approx(case.given[top.source][top.column].median())
    assert list(found.by_column()) == sorted(case.names, key=lambda n: -found.by_column()[n])


def test_numbers_come_back(truth, table):
    found = trust_report(estimator_with(table[0], truth), *table, planted=False).conditioning
    assert found.round_trip < 1e-9
    assert found.there_and_back < 1e-9
    assert 1 <= found.median_condition <= found.largest_condition


def test_a_planted_truth_is_found_again_better_than_by_any_baseline(case):
    draws = [planted_truth(replace(case, seed=seed)) for seed in range(3)]
    assert all(next(iter(found.errors)) == OURS for found in draws)
    assert np.median([found.errors[OURS] / found.errors["identity"] for found in draws]) < 0.1
    found = draws[0]
    assert set(found.errors) >= {"identity", "combat", "quantile", "gaussian_ot", "mean_variance"}
    assert found.verdict.level == "good"


def test_intervals_of_a_table_cover_and_keep_its_kind(truth, table):
    estimator = estimator_with(table[0], truth)
    noise = np.random.default_rng(0).standard_normal((300, 3))
    source = table[0][table[1] == "Ash"]
    seen = estimator.counterfactual(source, source="Ash", target="Cedar") + 0.3 * noise
    pair = {"source": "Ash", "target": "Cedar"}
    found = calibrated_intervals(estimator, source[:100], seen[:100], **pair)
    low, high = found(source[100:])
    assert list(low.columns) == ["a", "b", "c"]
    assert low.index.equals(source.index[100:])
    inside = ((low <= seen[100:]) & (seen[100:] <= high)).to_numpy().mean()
    assert 0.85 < inside < 0.95


@pytest.mark.parametrize(
    ("labels", "kind", "message"),
    [
        (["Ash"] * 5, ValueError, "X has 6 rows; got 5"),
        (["Ash"] * 6, DomainError, r"at least 2 of the domains .* got \['Ash'\]"),
    ],
)
def test_rows_that_cannot_be_judged(truth, table, labels, kind, message):
    with pytest.raises(kind, match=message):
        make_case(estimator_with(table[0], truth), table[0][:6], labels, 0)


def test_many_rows_are_sampled_and_the_same_each_time(truth, monkeypatch, table):
    monkeypatch.setattr("elsewhere.trust.case.ROWS", 50)
    one, two = (make_case(estimator_with(table[0], truth), *table, 3) for _ in range(2))
    assert [len(rows) for rows in one.linked.values()] == [50] * 3
    np.testing.assert_array_equal(one.linked["Ash"], two.linked["Ash"])


def test_the_energy_test_has_its_level_and_its_power():
    rng = np.random.default_rng(0)
    p = [
        energy_test(rng.standard_normal((40, 2)), rng.standard_normal((40, 2)), rng, 99)[1]
        for _ in range(100)
    ]
    assert np.mean(np.array(p) <= 0.1) < 0.2
    effect, p_value = energy_test(
        rng.standard_normal((40, 2)), 2 + rng.standard_normal((40, 2)), rng, 99
    )
    assert p_value == 0.01
    assert 0.2 < effect < 1
    assert energy_test(np.zeros((3, 1)), np.zeros((3, 1)), rng, 9) == (0.0, 1.0)


def test_support_flags_what_is_far_and_little_else():
    rng = np.random.default_rng(0)
    target = rng.standard_normal((500, 3))
    assert far(target + 50, target).all()
    assert far(rng.standard_normal((500, 3)), target).mean() < 0.05
    assert unlikely(np.full((1, 3), 5.0)).all()
    assert unlikely(rng.standard_normal((2_000, 3))).mean() < 0.005


def test_words_and_levels():
    assert worst(["good", "bad", "caution"]) == "bad"
    assert worst([]) == "unknown"
    assert [graded(v, 1.0, 2.0) for v in (0.5, 1.5, 2.0, np.nan)] == [
        "good",
        "caution",
        "bad",
        "bad",
    ]
    assert listed("abcdef", 2) == "a, b and 4 more"
    assert [percent(s) for s in (0.0, 1e-4, 0.05, 0.5)] == ["0 %", "under 0.1 %", "5 %", "50 %"]
    assert plain({1: (np.float64(2.0), np.nan, np.arange(2), Judgement("good", "x"))}) == {
        "1": [2.0, None, [0, 1], {"level": "good", "words": "x", "measure": "", "remedy": ""}]
    }
