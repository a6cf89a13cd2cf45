"""What of a small domain's answer is its own."""

import numpy as np
import pytest

from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.own_evidence import borrowing_notes, own_shares

pytestmark = pytest.mark.fast


def sites(*sizes, offset=2.0):
    rng = np.random.default_rng(0)
    return {f"s{n}": rng.normal(size=(n, 4)) + offset * (n < max(sizes)) for n in sorted(sizes)}


def test_the_more_rows_the_more_is_their_own():
    tables = sites(1, 10, 300)
    shares = own_shares(affine_map(tables), tables)
    assert 0 < shares["s1"] < shares["s10"] <= 1


def test_nothing_is_their_own_where_chance_explains_it():
    tables = sites(3, 300, offset=0.0)
    shares = own_shares(affine_map(tables), tables)
    assert shares["s3"] == 0


def test_the_note_names_small_domains_alone():
    tables = sites(1, 10, 300)
    (note,) = borrowing_notes(affine_map(tables), tables)
    assert "s1 (1 row)" in note
    assert "s10 (10 rows)" in note
    assert "s300" not in note
    assert borrowing_notes(affine_map(sites(200, 300)), sites(200, 300)) == ()


def test_many_small_domains_are_summed_up():
    rng = np.random.default_rng(1)
    tables = {d: rng.normal(size=(5, 3)) + rng.normal(size=3) for d in range(12)}
    (note,) = borrowing_notes(affine_map(tables), tables)
    assert "and 8 more" in note


def test_the_interval_of_one_row_is_wide_but_not_absurd():
    tables = sites(1, 300)
    error = affine_map(tables).standard_error(tables["s1"], d="s1", d_prime="s300")
    assert (error > 0.3).all()
    assert (error < 4.0).all()
