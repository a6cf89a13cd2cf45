"""A map by moments in a file: the same answers, explanations and errors, in any precision."""

import json
from copy import copy
from dataclasses import replace
from functools import cache

import jax
import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting.moments import AffineMap
from elsewhere.saving.codec import Reader, Writer
from elsewhere.saving.results import check_result, result_back, result_parts


@cache
def table(p):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, p))
    x[30:, :3] = 1.0 + 3 * x[30:, :3]
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(p)]), np.repeat(["north", "south"], 30)


@cache
def fitted(p):
    X, sites = table(p)
    return DomainCounterfactual().fit(X, sites)


@pytest.fixture(params=[4, 60], ids=["narrow", "wide"])
def p(request):
    return request.param


def answers(est, p):
    X, sites = table(p)
    low, high = est.interval(X, source=sites, target="north")
    return [
        est.counterfactual(X, source=sites, target="north"),
        est.counterfactual(X, source="north", target="south"),
        low,
        high,
        pd.DataFrame(est.abduct(X, sites)),
        pd.DataFrame({"log_prob": est.log_prob(X, sites)}),
        est.sample(4, domain="south", random_state=0),
    ]


def check_same(old, new, p):
    for a, b in zip(answers(old, p), answers(new, p), strict=True):
        pd.testing.assert_frame_equal(a, b, check_exact=True)


def test_answers_are_the_same_to_the_last_bit(p, tmp_path):
    path = fitted(p).save(tmp_path / "a.model")
    new = DomainCounterfactual.load(path)
    assert isinstance(new.result_.model, AffineMap)
    check_same(fitted(p), new, p)
    assert new.save(tmp_path / "b.model").read_bytes() == path.read_bytes()


def test_explanations_and_notes_are_kept(p, tmp_path):
    old = fitted(p)
    new = DomainCounterfactual.load(old.save(tmp_path / "a.model"))
    assert new.result_.explanations == old.result_.explanations
    assert any(e.used for e in new.result_.explanations)
    assert (new.notes_, new.engine_, new.mixing_) == (old.notes_, old.engine_, old.mixing_)


def test_doubt_is_kept_and_none_is_read_from_files_without(tmp_path):
    old = copy(fitted(4))
    old.result_ = replace(fitted(4).result_, doubt=0.25, simpler=fitted(4).result_.model)
    new = DomainCounterfactual.load(old.save(tmp_path / "a.model"))
    assert new.result_.doubt == 0.25
    check_same(old, new, 4)
    writer = Writer()
    parts = json.loads(json.dumps(result_parts(old.result_, writer)))
    del parts["doubt"]
    reader = Reader(writer.arrays)
    check_result(parts, reader)
    assert result_back(parts, reader).doubt == 0.0


def test_a_session_in_float32_gives_the_same_numbers(p, tmp_path):
    path = fitted(p).save(tmp_path / "a.model")
    with jax.enable_x64(False):
        new = DomainCounterfactual.load(path)
        check_same(fitted(p), new, p)
        X, sites = table(p)
        check_same(fitted(p), DomainCounterfactual().fit(X, sites), p)


def test_one_more_domain_is_saved_too(tmp_path):
    X, _ = table(4)
    est = DomainCounterfactual.load(fitted(4).save(tmp_path / "a.model"))
    est.add_domain(X.iloc[:9] + 5, "west")
    new = DomainCounterfactual.load(est.save(tmp_path / "b.model"))
    assert new.domains_ == ("north", "south", "west")
    a, b = (e.counterfactual(X, source="north", target="west") for e in (est, new))
    pd.testing.assert_frame_equal(a, b, check_exact=True)
    check_same(fitted(4), new, 4)
