"""The ladder: nothing, moments or mechanisms, whichever the rows support."""

from dataclasses import replace

import jax
import numpy as np
import pytest

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.draws import as_key, generator, words_of
from elsewhere.fitting import Options, Profile, fit
from elsewhere.fitting.ladder import (
    MOST_COLUMNS,
    ROW_WORDS,
    ROWS_PER_COLUMN,
    SEED,
    Auto,
)
from elsewhere.fitting.moments import AffineMap, Moments
from elsewhere.fitting.progress import silent
from elsewhere.fitting.remaining_difference import share_left
from elsewhere.fitting.split import split
from elsewhere.fitting.which_mechanisms import chosen_of, may_be_likelier

KEY = jax.random.key(0)
QUICK = Options(starts=4, steps=8, rounds=0, parents=2, polish_steps=4, classes=2)
pytestmark = pytest.mark.usefixtures("compile_fast")


def sparse_tables(rows=600, mixing="leaky"):
    """Three columns, of whose mechanisms only the last differs."""
    truth = simulated_truth(jax.random.key(3), 3, 2, {2}, mixing=mixing)
    train = np.asarray(simulate(jax.random.key(4), truth, train=rows).train, float)
    return {"here": train[0], "there": train[1]}


def shifted(rows, p, offset=2.0):
    x = np.random.default_rng(0).standard_normal((2 * rows, p))
    x[rows:] += offset
    return {"here": x[:rows], "there": x[rows:]}


@pytest.fixture(scope="module")
def climbed():
    return {
        seed: fit(jax.random.key(seed), sparse_tables(), k="auto", engine=Auto(options=QUICK))
        for seed in (0, 1)
    }


def explained(result):
    return [e.name for e in result.explanations if e.used]


class TestAuto:
    def test_mechanisms_of_a_narrow_table_with_many_rows(self, climbed):
        result = climbed[0]
        assert explained(result) == ["mechanisms"]
        assert isinstance(result.engine, Profile)
        assert result.k == 1
        names = [e.name for e in result.explanations]
        assert names == ["nothing", "offsets", "scales", "turns", "mechanisms"]

    def test_the_answer_does_not_depend_on_the_seed(self, climbed):
        x = sparse_tables()["here"]
        answers = [r.model.move(x, d="here", d_prime="there") for r in climbed.values()]
        np.testing.assert_array_equal(*answers)
        assert climbed[0].explanations == climbed[1].explanations

    @pytest.mark.parametrize(
        ("rows", "p", "why"),
        [
            (20, 3, f"with 20 rows in a domain (at least {3 * ROWS_PER_COLUMN})"),
            (500, MOST_COLUMNS + 1, f"among {MOST_COLUMNS + 1} columns (at most {MOST_COLUMNS})"),
        ],
    )
    def test_moments_of_small_and_of_wider_tables(self, rows, p, why):
        results = [
            fit(jax.random.key(seed), shifted(rows, p), k="auto", engine=Auto()) for seed in (0, 1)
        ]
        assert [isinstance(r.model, AffineMap) for r in results] == [True, True]
        assert results[0].engine == Moments()
        assert "offsets" in explained(results[0])
        assert why in results[0].explanations[-1].words
        x = shifted(rows, p)["here"]
        answers = [r.model.move(x, d="here", d_prime="there") for r in results]
        np.testing.assert_array_equal(*answers)

    def test_nothing_is_not_searched_any_further(self):
        result = fit(KEY, shifted(200, 3, 0.0), k="auto", engine=Auto())
        assert explained(result) == ["nothing"]
        assert result.explanations[-1].words.endswith("since nothing differs")

    def test_offsets_alone_are_no_reason_to_search(self):
        result = fit(KEY, shifted(300, 3), k="auto", engine=Auto())
        assert isinstance(result.model, AffineMap)
        assert "offsets and scales explain" in result.explanations[-1].words

    def test_mechanisms_borrow_the_uncertainty_of_the_map(self, climbed):
        x, result = sparse_tables()["here"], climbed[0]
        asked = {"d": "here", "d_prime": "there"}
        few, left_open = result.simpler.variances_of(x, **asked)
        linear = result.engine.mixing == "linear"
        known = few * 2 / 3 + left_open / 3 if linear else few * (1 / 3 + 8 / 12)
        apart = np.mean([m.move(x, **asked) for m in result.preferred], axis=0)
        apart = apart - result.simpler.move(x, **asked)
        expected = np.sqrt(known + result.doubt * apart**2)
        np.testing.assert_allclose(result.uncertainty(x, **asked), expected)
        assert expected.max() > 0

    def test_collinear_columns_are_no_reason_to_fail(self):
        tables = {d: x[:, [0, 1, 0]] for d, x in shifted(300, 2).items()}
        result = fit(KEY, tables, k="auto", engine=Auto())
        assert isinstance(result.model, AffineMap)
        assert "are collinear" in result.explanations[-1].words


def test_a_k_that_is_asked_for_is_fitted_by_the_profile_engine():
    tables = sparse_tables(200)
    auto = fit(KEY, tables, k=1, engine=Auto(options=QUICK))
    assert isinstance(auto.engine, Profile)
    alone = fit(KEY, tables, k=1, engine=auto.engine)
    x = tables["here"]
    answers = [r.model.move(x, d="here", d_prime="there") for r in (auto, alone)]
    np.testing.assert_array_equal(*answers)
    assert (auto.k, auto.explanations) == (1, ())


@pytest.mark.parametrize("mixing", ["linear", "leaky"])
def test_leaky_axes_are_solved_for_only_where_kinks_are_real(mixing):
    engine, rows = Auto(options=QUICK), split(KEY, sparse_tables(mixing=mixing), None)
    simpler = engine.rung("linear").fit(KEY, rows, [1], silent)[1]
    begun = engine.rung("leaky").begin(KEY, rows, [1], silent)
    assert may_be_likelier(begun, 1, simpler, rows.held) == (mixing == "leaky")


def test_a_k_that_is_asked_for_needs_rows_enough():
    with pytest.raises(ValueError, match="at least m \\+ 2"):
        fit(KEY, shifted(3, 5), k=1, engine=Auto())


def test_words_stand_for_the_keys_that_jax_makes_of_seeds():
    rows = jax.random.split(jax.random.key(SEED))[1]
    assert jax.random.key_data(rows).tolist() == list(ROW_WORDS)
    for seed in (0, 5, 2**31 - 2):
        key = jax.random.key(seed)
        assert jax.random.key_data(key).tolist() == words_of(seed).tolist()
        assert as_key(words_of(seed)) == key
        assert generator(key).random() == generator(words_of(seed)).random()


class Shift:
    """Moves rows by `by` from here to there."""

    domains = ("here", "there")

    def __init__(self, by):
        self.by = by

    def move(self, x, *, d, d_prime):
        step = self.domains.index(d_prime) - self.domains.index(d)
        return np.asarray(x) + step * self.by

    m = 3

    def noise(self, x, *, d):
        return self.move(x, d=d, d_prime="here")

    def made(self, eps, *, d):
        return self.move(eps, d="here", d_prime=d)

    def log_density(self, x, *, d):
        return -0.5 * (self.noise(x, d=d) ** 2).sum(axis=1)


class Bent(Shift):
    """Moves rows as `Shift` does, but its noise is of another distribution there."""

    def noise(self, x, *, d):
        return super().noise(x, d=d) ** (1 if d == "here" else 3)


class TestShareLeft:
    TABLES = shifted(200, 3)

    @pytest.mark.fast
    @pytest.mark.parametrize(("by", "share"), [(2.0, 0.0), (0.0, 1.0), (1.0, 0.5), (-2.0, 2.0)])
    def test_of_an_explanation_that_moves_rows_by_a_part_of_the_difference(self, by, share):
        simpler = fit(KEY, self.TABLES, k="auto", engine=Moments()).model
        assert share_left(Shift(by), simpler, self.TABLES) == pytest.approx(share, abs=0.08)

    @pytest.mark.fast
    def test_mechanisms_that_explain_little_are_not_taken(self):
        rows = split(KEY, self.TABLES, None)
        simple = fit(KEY, self.TABLES, k="auto", engine=Moments())

        def sparse(by):
            candidate = replace(simple.candidates[0], model=Shift(by))
            return replace(simple, candidates=(candidate,), k=1, explanations=())

        idle = chosen_of(simple, sparse(0.0), replace(sparse(0.0), k=2), rows)
        assert idle.model is simple.model
        assert idle.explanations[-1].words.endswith("they leave 100% of the difference")
        full = chosen_of(simple, sparse(2.0), replace(sparse(2.0), k=2), rows)
        assert explained(full) == ["mechanisms"]

    @pytest.mark.fast
    def test_mechanisms_that_make_noise_less_alike_are_not_taken(self):
        rows = split(KEY, self.TABLES, None)
        simple = fit(KEY, self.TABLES, k="auto", engine=Moments())
        candidate = replace(simple.candidates[0], model=Bent(2.0))
        sparse = replace(simple, candidates=(candidate,), k=1, explanations=())
        told = chosen_of(simple, sparse, replace(sparse, k=2), rows)
        assert told.model is simple.model
        assert told.explanations[-1].words.endswith("noise is less alike than without them")
