"""The door: engines by name, engines from outside the package, and what every engine must do."""

import subprocess
import sys
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.baselines import MeanVariance
from elsewhere.errors import AssumptionError
from elsewhere.fitting import (
    Candidate,
    Density,
    Engine,
    FitResult,
    Flow,
    Mover,
    Options,
    Profile,
    engine_named,
    fit,
    fit_each,
    register,
    registered_engines,
)
from elsewhere.fitting import engines as door
from elsewhere.fitting.__main__ import listing
from elsewhere.fitting.split import check_domains, split
from elsewhere.mixing import linear
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM

KEY = jax.random.key(0)
BRIEF = Profile("linear", options=Options(starts=2, steps=3, rounds=0))


@dataclass(frozen=True)
class Shift:
    """x_{d→d'} = x + mean_d' − mean_d, in plain NumPy, without a density."""

    domains: tuple
    means: dict

    def move(self, x, *, d, d_prime):
        return x + self.means[d_prime] - self.means[d]


@dataclass(frozen=True)
class Means(Engine):
    """Differences of means, for any rows: few, collinear or constant."""

    pull: float = 1.0

    def check(self, tables):
        check_domains(tables)

    def fit(self, key, rows, ks, progress):
        means = {d: self.pull * x.mean(axis=0) for d, x in rows.train.items()}
        progress(1.0, "done")
        candidate = Candidate(Shift(rows.domains, means), 0.0, 0.0, "means")
        return {k: FitResult((candidate,), 0, 0.0, 0.0, 0.0, "none") for k in ks}


@pytest.fixture
def means(monkeypatch):
    monkeypatch.setattr(door, "_ENGINES", registered_engines())
    register("means", Means())


def tables():
    rows = np.random.default_rng(0).standard_normal((2, 20, 3))
    rows[1] += 2.0
    return {"here": rows[0], "there": rows[1]}


class TestAnEngineFromOutside:
    def test_it_fits_by_its_name(self, means):
        told = []
        result = fit(KEY, tables(), k=0, engine="means", progress=lambda *said: told.append(said))
        assert told == [(1.0, "done")]
        assert result.engine == Means()
        assert isinstance(result.model, Mover)
        assert not isinstance(result.model, Density)
        x = tables()["here"]
        moved = result.consensus(x, d="here", d_prime="there")
        low, high = result.spread(x, d="here", d_prime="there")
        np.testing.assert_allclose(moved - x, np.full_like(x, 2.0), atol=1.0)
        np.testing.assert_array_equal(low, high)

    def test_it_says_itself_what_it_demands_of_the_rows(self, means):
        collinear = {d: np.repeat(x[:3, :1], 5, axis=1) for d, x in tables().items()}
        assert fit(KEY, collinear, k=0, engine="means").engine == Means()
        with pytest.raises(ValueError, match="at least m \\+ 2"):
            fit(KEY, collinear, k=0, engine="leaky")
        with pytest.raises(ValueError, match="at least 2 domains"):
            fit(KEY, {"here": collinear["here"]}, k=0, engine="means")

    def test_an_estimator_takes_it_too(self, means):
        frame = pd.DataFrame(np.concatenate(list(tables().values())), columns=list("abc"))
        sites = np.repeat(["here", "there"], 20)
        est = DomainCounterfactual(k=0, mixing="means", links="identity").fit(frame, sites)
        assert (est.mixing_, est.engine_) == ("means", Means())
        moved = est.counterfactual(frame, source=sites, target="there")
        np.testing.assert_allclose(moved.mean(), frame[sites == "there"].mean(), atol=0.5)
        for question in (est.log_prob, est.abduct):
            with pytest.raises(AssumptionError, match="need a model with a density; a Shift only"):
                question(frame, sites)
        with pytest.raises(AssumptionError, match="need a model with a density"):
            est.sample(3, domain="here")
        other = DomainCounterfactual(k=0, mixing="means", options={"pull": 0.0}, links="identity")
        still = other.fit(frame, sites).counterfactual(frame, source=sites, target="there")
        np.testing.assert_allclose(still, frame, atol=1e-12)

    def test_a_name_is_given_once(self, means):
        register("means", Means())
        with pytest.raises(ValueError, match="an engine 'means' already exists"):
            register("means", Means(2.0))
        with pytest.raises(TypeError, match="a dataclass derived from Engine"):
            register.__wrapped__("nothing", Means)


def test_an_unknown_engine_names_the_known_ones():
    with pytest.raises(ValueError, match="must be one of .*'leaky'.*; got 'lekay'"):
        engine_named("lekay")


def test_an_engine_may_be_given_itself():
    assert engine_named(BRIEF) is BRIEF
    results = fit_each(KEY, tables(), ks=[1, None], engine=BRIEF)
    assert [result.engine for result in results.values()] == [BRIEF, BRIEF]


def test_a_fit_does_not_depend_on_what_else_is_asked_for():
    together = fit_each(KEY, tables(), ks=[1, 2, None], engine=BRIEF)
    for k in (2, None):
        alone = fit_each(KEY, tables(), ks=[k], engine=BRIEF)[k]
        answers = [
            result.model.move(tables()["here"], d="here", d_prime="there")
            for result in (together[k], alone)
        ]
        np.testing.assert_array_equal(*answers)


def test_models_and_baselines_are_movers():
    assert isinstance(ILD(linear(jnp.eye(2)), [LinearSCM.identity(2)] * 2), Density)
    assert isinstance(MeanVariance().fit(tables()), Mover)


def test_rows_are_split_by_the_key_alone():
    one, same, other = (split(jax.random.key(seed), tables()) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.held["here"], same.held["here"])
    assert not np.array_equal(one.held["here"], other.held["here"])
    assert (one.domains, one.m) == (("here", "there"), 3)


def test_the_listing_has_every_engine_with_its_options():
    text = listing()
    assert [name in text for name in registered_engines()] == [True] * len(registered_engines())
    for line in ("slope = 0.5", "options.starts = 32", "effort.steps = 4000", "latent = None"):
        assert line in text
    assert isinstance(registered_engines()["real_nvp"], Flow)


def test_the_listing_is_a_command():
    command = [sys.executable, "-m", "elsewhere.fitting"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == listing()
