"""Trust in maps by moments: narrow and wide, many rows and few, and none to move."""

import json

import numpy as np
import pandas as pd
import pytest

from elsewhere.baselines import BASELINES, Baseline
from elsewhere.baselines.interface import IdentityMap
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting.moments import AffineMap
from elsewhere.trust import trust_report
from elsewhere.trust.assumptions import MOST_COLUMNS, noise_columns
from elsewhere.trust.case import FEW, make_case
from elsewhere.trust.planted import FITTED, OURS, planted_truth, planted_verdict
from elsewhere.trust.support import far
from elsewhere.trust.truths import AFFINE, OFFSETS, SCALES, differences, truths


def drawn(counts, p, *, shift=0.0, stretch=1.0, seed=0):
    """Correlated normal rows; the second domain is shifted and stretched."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(list("abcd")[: len(counts)], counts)
    codes = rng.standard_normal((len(labels), 2)) @ rng.standard_normal((2, p))
    x = 0.5 * codes + rng.standard_normal((len(labels), p))
    x[labels == "b"] = x[labels == "b"] * stretch + shift
    return pd.DataFrame(x, columns=[f"c{j}" for j in range(p)]), labels


def fitted(counts, p, **how):
    X, labels = drawn(counts, p, **how)
    return DomainCounterfactual(mixing="moments").fit(X, labels), X, labels


def levels(trust):
    return {name: verdict.level for name, verdict in trust.verdicts.items()}


def test_a_map_that_is_right_is_trusted():
    estimator, X, labels = fitted([200, 200], 4, shift=1.5)
    assert isinstance(estimator.result_.model, AffineMap)
    trust = trust_report(estimator, X, labels, planted=False)
    found = levels(trust)
    assert {found[name] for name in ("fit", "likeness", "conditioning", "assumptions")} == {"good"}
    assert found["spread"] == "unknown"
    assert trust.level == "good"
    assert trust.conditioning.round_trip is None
    assert trust.conditioning.there_and_back < 1e-9
    assert all(0 < move.error < 0.5 for move in trust.moves.moves)


@pytest.mark.parametrize("counts", [[1, 3, 20], [3, 7, 20], [2, 2], [1, 2, 3, 3]])
def test_small_domains_are_never_called_good(counts):
    estimator, X, labels = fitted(counts, 5, shift=2.0)
    trust = trust_report(estimator, X, labels, planted=False)
    found = levels(trust)
    assert {found[n] for n in ("fit", "likeness", "spread", "support", "assumptions")} <= {
        "unknown",
        "caution",
        "bad",
    }
    assert trust.level != "good"
    json.dumps(trust.to_dict())


def test_rows_that_are_unlike_those_fitted_are_noticed():
    estimator, X, labels = fitted([200, 200], 4, shift=1.5)
    odd = X.copy()
    odd.loc[labels == "b"] += 3
    trust = trust_report(estimator, odd, labels, planted=False)
    assert trust.fit.verdict.level == "bad"
    assert "these rows are unlike those fitted in b" in trust.fit.verdict.words
    assert trust.likeness.verdict.warns
    assert trust.support.verdict.warns


def test_noise_that_differs_between_domains_is_noticed():
    estimator, X, labels = fitted([400, 400], 3, shift=1.5)
    odd, rng = X.copy(), np.random.default_rng(1)
    odd.loc[labels == "b"] = 1.5 + rng.exponential(size=(400, 3)) * rng.choice([-1, 3], (400, 3))
    said = trust_report(estimator, odd, labels, planted=False).assumptions
    assert said.assumptions[0].name == "same noise"
    assert said.verdict.warns


def test_a_wide_table_is_judged_on_some_columns():
    estimator, X, labels = fitted([30, 30], 600, shift=1.0, stretch=2.0)
    trust = trust_report(estimator, X, labels, planted=False)
    assert levels(trust)["fit"] == "unknown"
    assert trust.level != "good"
    case = make_case(estimator, X, labels, 0)
    columns, noise = noise_columns(case)
    assert len(columns) == MOST_COLUMNS
    assert noise["a"].shape == (30, MOST_COLUMNS)
    assert case.model.carried < 1
    assert trust.conditioning.verdict.level == "unknown"
    narrower = case.moved["a", "b"].std(axis=0).mean()
    assert case.carried["a", "b"].std(axis=0).mean() > 1.1 * narrower


def test_columns_that_repeat_others_have_no_density_to_judge():
    X, labels = drawn([100, 100], 3, shift=1.5)
    X["twice"] = 2 * X["c0"] + 1
    estimator = DomainCounterfactual(mixing="moments").fit(X, labels)
    trust = trust_report(estimator, X, labels, planted=False)
    assert levels(trust)["fit"] == "unknown"
    assert "determine one another" in trust.fit.verdict.words
    assert levels(trust)["likeness"] == "good"


def test_neighbours_are_the_same_by_tree_and_by_product():
    rng = np.random.default_rng(0)
    target, moved = rng.standard_normal((60, 4)), rng.standard_normal((80, 4)) * 1.5
    pad = np.zeros((1, 30))
    wide = [np.concatenate([x, np.repeat(pad, len(x), 0)], axis=1) for x in (moved, target)]
    np.testing.assert_array_equal(far(*wide), far(moved, target))
    assert 0 < far(moved, target).sum() < len(moved)


class TestPlanted:
    @pytest.fixture(scope="class")
    def case(self):
        estimator, X, labels = fitted([150, 150], 4, shift=1.5, stretch=1.8)
        return make_case(estimator, X, labels, 0)

    def test_every_explanation_is_planted(self, case):
        found = planted_truth(case)
        assert list(found.by_truth)[0] == FITTED
        assert set(found.by_truth) >= {FITTED, OFFSETS, SCALES}
        assert found.errors == found.by_truth[FITTED]
        for errors in found.by_truth.values():
            assert errors[OURS] < 0.2 * errors["identity"]
        assert f"of {len(found.by_truth)} kinds of difference" in found.verdict.words

    def test_truths_hold_what_their_names_say(self, case):
        known = truths(case.linked, case.model, np.random.default_rng(0))
        only, scaled = known[OFFSETS], known[SCALES]
        assert not only.scales.means.any()
        assert not only.turns.means.any()
        np.testing.assert_array_equal(only.offsets.means, scaled.offsets.means)
        ratio = np.exp(scaled.scales.means[1] - scaled.scales.means[0])
        np.testing.assert_allclose(ratio, 1.8, rtol=0.2)
        x = case.linked["a"]
        moved = only.move(x, d="a", d_prime="b") - x
        np.testing.assert_allclose(moved, np.broadcast_to(moved[0], moved.shape), atol=1e-9)

    def test_differences_of_equal_domains_are_chance(self):
        estimator, X, labels = fitted([300, 300], 4)
        case = make_case(estimator, X, labels, 0)
        assert np.abs(differences(case.linked, case.model).scales).max() < 0.15
        assert planted_truth(case).errors == {}

    def test_the_verdict_goes_by_who_is_behind_and_where(self):
        ahead, behind = {OURS: 1.0, "a": 2.0, "identity": 9.0}, {OURS: 2.0, "a": 1.0, "identity": 9}
        near = {OURS: 1.04, "a": 1.0, "identity": 9.0}
        still = {OURS: 9.0, "a": 10.0, "identity": 9.0}
        assert planted_verdict({FITTED: ahead, OFFSETS: near}).level == "good"
        assert planted_verdict({FITTED: ahead, OFFSETS: behind}).level == "caution"
        assert "1 of 2 kinds" in planted_verdict({FITTED: ahead, OFFSETS: behind}).words
        assert planted_verdict({FITTED: behind, AFFINE: ahead}).level == "bad"
        assert planted_verdict({OFFSETS: still}).level == "unknown"
        assert planted_verdict({}).level == "unknown"

    def test_domains_of_one_row_are_left_out(self):
        estimator, X, labels = fitted([1, 12, 12], 3, shift=3.0)
        found = planted_truth(make_case(estimator, X, labels, 0))
        assert list(found.rows) == ["b", "c"]
        assert found.by_truth


def test_few_is_what_the_words_say():
    estimator, X, labels = fitted([FEW - 1, 40], 3, shift=2.0)
    trust = trust_report(estimator, X, labels, planted=False)
    assert "fewer than 20" in trust.likeness.verdict.words
    assert "a" in trust.support.verdict.words


def test_of_many_domains_a_few_are_compared_and_no_pair_of_others_is_learnt(monkeypatch):
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(8), 30)
    X = rng.standard_normal((240, 2)) + labels[:, None]
    estimator = DomainCounterfactual(mixing="moments").fit(X, labels)
    learnt, told = [], []

    class Pairwise(Baseline):
        pair_by_pair = True

        def _learn(self, samples):
            learnt.append(len(samples))
            return IdentityMap()

    monkeypatch.setitem(BASELINES, "pairwise", Pairwise)
    found = planted_truth(make_case(estimator, X, labels, 0), lambda done, _: told.append(done))
    assert len(found.between) == 5
    assert set(learnt) == {5}
    assert len(found.rows) == 8
    assert told == sorted(told)
    assert 0.9 < told[-1] < 1
