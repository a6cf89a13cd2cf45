"""Should I use these answers? The rule, and what many pairs of domains come to."""

from itertools import permutations
from types import SimpleNamespace

import pytest

from elsewhere.trust import expected_error
from elsewhere.trust.checks import CHECKS
from elsewhere.trust.decision import decide
from elsewhere.trust.judgement import Judgement, apart, typical
from elsewhere.trust.table_decision import (
    ALIKE,
    UNSEEN,
    UNSEEN_WITH_COVARIATES,
    table_decision,
)
from elsewhere.trust.two_sample import Likeness, likeness_verdict

pytestmark = pytest.mark.fast
TITLES = {name: check.title for name, check in CHECKS.items()}
WITHOUT = [name for name in CHECKS if name != "confounding"]  # which is made with covariates
FINE = dict.fromkeys(WITHOUT, "good") | {"invariants": "unknown", "spread": "unknown"}


def decision(moved=True, **levels):
    verdicts = {name: Judgement(level, name) for name, level in (FINE | levels).items()}
    return table_decision(verdicts, TITLES, moved=moved)


@pytest.mark.parametrize(
    ("levels", "answer"),
    [
        ({}, "yes"),
        ({"assumptions": "caution", "planted": "caution"}, "yes"),
        ({"assumptions": "bad"}, "with care"),
        ({"planted": "bad"}, "with care"),
        ({"fit": "caution"}, "with care"),
        ({"fit": "bad", "support": "bad"}, "with care"),
        ({"fit": "bad", "likeness": "caution"}, "no"),
        ({"expected": "caution"}, "with care"),
        ({"expected": "bad"}, "no"),
        ({"likeness": "bad"}, "no"),
        ({"invariants": "bad"}, "no"),
        ({"spread": "bad"}, "no"),
        ({"likeness": "unknown"}, "with care"),
        ({"expected": "unknown"}, "with care"),
        ({"fit": "unknown"}, "yes"),
    ],
)
def test_the_rule(levels, answer):
    found = decision(**levels)
    assert found.answer == answer
    assert len(found.reasons) == 2
    assert found.unseen == UNSEEN
    if answer != "yes":
        assert found.reasons[0].verdict.words in levels


def test_with_covariates_what_they_explain_is_no_longer_unseen():
    assert decision(confounding="good").unseen == UNSEEN_WITH_COVARIATES
    assert "beside the covariates that are kept" in UNSEEN_WITH_COVARIATES


@pytest.mark.parametrize(
    ("share", "own", "level"),
    [
        (0.02, 0.05, "good"),
        (0.02, 0.6, "caution"),  # most of a row may be noise: a reason for care, and no more
        (0.2, 0.05, "caution"),
        (0.6, 0.05, "bad"),
        (0.6, None, "bad"),
        (None, None, "unknown"),
    ],
)
def test_how_far_off_answers_may_be(share, own, level):
    found = expected_error._verdict(share, own, 1.0)
    assert found.level == level
    assert ("by its intervals" in found.measure) == bool(own and share and own > share)


def test_a_small_difference_is_a_reason_for_care_and_hides_nothing_worse():
    size = expected_error.SMALL
    large, small = (expected_error._verdict(0.02, 0.05, size * by) for by in (1.1, 0.9))
    assert (large.level, small.level) == ("good", "caution")
    assert small.words == expected_error.BARELY
    assert expected_error._verdict(0.6, 0.05, 0.9 * size).level == "bad"


@pytest.mark.parametrize(("errors", "share"), [({}, None), ({"elsewhere": 1, "identity": 4}, 0.25)])
def test_the_share_on_simulated_rows(errors, share):
    assert expected_error._simulated({"planted": SimpleNamespace(errors=errors)}) == share
    assert expected_error._simulated({}) is None


def test_reasons_are_those_that_decide_worst_first():
    found = decision(assumptions="bad", spread="caution", planted="caution")
    assert [reason.verdict.words for reason in found.reasons] == ["spread", "assumptions"]
    fine = decision()
    assert [reason.verdict.words for reason in fine.reasons] == ["expected", "likeness"]


def test_where_nothing_is_moved_the_question_is_what_went_unseen():
    assert decision(moved=False, likeness="unknown").headline == ALIKE
    assert decision(moved=False).answer == "yes"
    assert decision(moved=False, expected="caution").answer == "with care"


def test_a_check_of_ones_own_counts_in_full():
    verdicts = {n: Judgement(level, n) for n, level in FINE.items()}
    verdicts["mine"] = Judgement("bad", "mine")
    assert table_decision(verdicts, TITLES | {"mine": "Mine"}, moved=True).answer == "no"


def test_levels_and_answers_are_one_scale():
    assert [decide(level, []).answer for level in ("good", "caution", "unknown", "bad")] == [
        "yes",
        "with care",
        "with care",
        "no",
    ]
    assert decide("bad", []).level == "bad"


def test_one_pair_of_many_does_not_decide_and_of_few_it_does():
    few = dict.fromkeys(permutations("abc", 2), "good") | {("a", "b"): "bad"}
    assert typical(few) == "bad"
    many = dict.fromkeys(permutations(range(30), 2), "good") | {(0, 1): "bad"}
    assert typical(many) == "good"
    tenth = {pair: "caution" if i < 87 else "good" for i, pair in enumerate(many)}
    assert typical(tenth) == "caution"
    assert typical({}) == "unknown"


def test_a_domain_that_stands_apart_is_named():
    levels = {pair: "bad" if 7 in pair else "good" for pair in permutations(range(30), 2)}
    assert apart(levels) == [7]
    assert apart(dict.fromkeys(levels, "bad")) == []
    found = [
        Likeness(d, e, 0.5 if 7 in (d, e) else 0.0, 0.9, 0.001 if 7 in (d, e) else 0.9, 50)
        for d, e in permutations(range(30), 2)
    ]
    verdict = likeness_verdict(tuple(found))
    assert verdict.level == "caution"
    assert "58 of 870" in verdict.measure
    assert verdict.remedy.startswith("Look at 7 first")
    lone = [one if (one.source, one.target) == (7, 8) else fine(one) for one in found]
    assert likeness_verdict(tuple(lone)).level == "good"


def fine(one):
    return Likeness(one.source, one.target, 0.0, 0.9, 0.9, 50)


def with_small(domains, small):
    """Likeness between domains, of which some have ten rows."""
    rows = {d: 10 if d in small else 50 for d in range(domains)}
    pairs = permutations(range(domains), 2)
    return tuple(Likeness(d, e, 0.0, 0.9, 0.9, min(rows[d], rows[e])) for d, e in pairs)


def test_a_few_small_domains_of_many_are_named_and_do_not_decide():
    verdict = likeness_verdict(with_small(30, {4, 5, 6}))
    assert verdict.level == "good"
    assert verdict.words.endswith(" Too few to tell: 4, 5, 6.")
    assert likeness_verdict(with_small(30, {4, 5, 6, 7})).level == "unknown"
    several = likeness_verdict(with_small(9, {4}))
    assert several.level == "unknown"
    assert "for 4: fewer than 20" in several.words
    assert "0 → 1, 1 → 0" in likeness_verdict(with_small(2, {1})).words
