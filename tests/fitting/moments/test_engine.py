"""The engine by moments: any table, any seed, and what it says of its result."""

import jax
import numpy as np
import pytest
from maps import random_map

from elsewhere.fitting import FitError, fit
from elsewhere.fitting.moments import Moments
from elsewhere.fitting.moments.engine import changed_columns
from elsewhere.fitting.moments.words import notes_of

KEY = jax.random.key(0)


def tables(offset, p=3, rows=60):
    x = np.random.default_rng(0).standard_normal((2 * rows, p))
    x[rows:, 0] += offset
    return {"here": x[:rows], "there": x[rows:]}


def test_the_seed_does_not_matter():
    one, other = (fit(jax.random.key(s), tables(2.0), k="auto", engine=Moments()) for s in (0, 1))
    x = tables(2.0)["here"]
    answers = [r.model.move(x, d="here", d_prime="there") for r in (one, other)]
    np.testing.assert_array_equal(*answers)


def test_an_offset_is_said_in_words():
    result = fit(KEY, tables(2.0), k="auto", engine=Moments())
    used = {e.name: e.used for e in result.explanations}
    assert used == {"nothing": False, "offsets": True, "scales": False, "turns": False}
    assert result.candidates[0].description.startswith("domains differ by an offset in ")
    assert result.engine == Moments()
    error = result.uncertainty(tables(2.0)["here"], d="here", d_prime="there")
    assert (error > 0).all()
    assert np.isfinite([result.log_likelihood, result.standard_error]).all()


def test_nothing_is_said_in_words():
    result = fit(KEY, tables(0.0), k="auto", engine=Moments())
    assert [e.name for e in result.explanations if e.used] == ["nothing"]
    assert result.k == 0
    assert "nothing to harmonise" in result.notes[0]
    assert "no difference between domains" in result.candidates[0].description


def test_the_note_of_a_wide_table_names_the_share_that_is_carried():
    assert any("a share of 0.5 is taken" in n for n in notes_of(random_map(6, 2, 2, 0, 0.5)))
    assert not notes_of(random_map(6, 2, 2, 0, 1.0))


def test_changed_columns_are_all_where_codes_turn():
    assert changed_columns(random_map(6, 2, 2, 0)) == 6


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"a": np.ones((3, 2)), "b": np.ones((0, 2))}, r"every domain must have a row; \['b'\]"),
        ({"a": np.ones((1, 2)), "b": np.ones((1, 2))}, "at least one domain must have 2 rows"),
    ],
)
def test_tables_that_tell_nothing_are_refused(rows, message):
    with pytest.raises(FitError, match=message):
        fit(KEY, rows, k="auto", engine=Moments())


def test_what_cannot_be_asked_for():
    with pytest.raises(ValueError, match="k must be 'auto' for the engine Moments; got 2"):
        fit(KEY, tables(1.0), k=2, engine=Moments())
    with pytest.raises(ValueError, match=r"carried must be in 0..1; got 1.5"):
        Moments(1.5)
