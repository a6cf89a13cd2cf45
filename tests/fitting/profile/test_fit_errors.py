"""What cannot be fitted is refused, with the reason and the remedy."""

import jax
import numpy as np
import pytest

from elsewhere.fitting import FitError, Options, Profile, fit
from elsewhere.fitting.profile.auto import choose_k
from elsewhere.fitting.profile.axes.search import check_some_finite
from elsewhere.fitting.result import PathPoint
from elsewhere.fitting.split import hold_out, shuffled, size_notes

KEY = jax.random.key(0)


def rows(num_domains=2, n=50, m=3):
    return np.random.default_rng(0).standard_normal((num_domains, n, m))


def changed(index, value):
    x = rows()
    x[index] = value
    return x


def duplicated():
    x = rows()
    x[1, :, 2] = 3 * x[1, :, 0] - 1
    return x


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (changed((1, 4, 2), np.nan), r"data\[1\] must be finite; got nan at row 4, column 2"),
        (changed((0, 0, 0), np.inf), r"data\[0\] must be finite; got inf"),
        (rows(1), "at least 2 domains"),
        (rows()[0], r"array of shape \(50, 3\)"),
        ({"a": rows()[0], "b": rows()[1, :, :2]}, "same columns in every domain"),
        ({"a": rows()[0], "b": rows()[1, :, 0]}, r"data\['b'\] must have shape \[rows, columns\]"),
        ([rows()[0], rows()[1, :20]], "Use a mapping"),
        ({"a": rows()[0], "b": rows()[1, :4]}, r"domain 'b' must have at least m \+ 2 = 5 rows"),
        (changed((0, slice(None), 1), 2.0), r"in domain 0 columns \[1\] are constant"),
        (duplicated(), r"in domain 1 columns \[0, 2\] are collinear"),
    ],
)
def test_data_that_cannot_be_fitted(data, message):
    with pytest.raises(ValueError, match=message):
        fit(KEY, data, k=1, engine="leaky")


@pytest.mark.parametrize("k", [-1, 4])
def test_k_must_be_possible(k):
    with pytest.raises(ValueError, match=r"k must be in 0..3"):
        fit(KEY, rows(), k=k, engine="leaky")


def test_a_slope_of_one_is_linear():
    with pytest.raises(ValueError, match="mixing='linear'"):
        fit(KEY, rows(), k=1, engine=Profile(slope=1.0))


@pytest.mark.parametrize(
    ("valid", "message"),
    [
        ({0: rows()[0]}, "valid must have the domains of data"),
        (rows()[:, :, :2], "the 3 columns of data"),
        (rows()[:, :1], "at least 2 rows"),
    ],
)
def test_held_out_rows_must_fit_the_data(valid, message):
    with pytest.raises(ValueError, match=message):
        fit(KEY, rows(), k=1, valid=valid, engine="leaky")


def test_options_must_be_positive():
    assert Options(rounds=0).rounds == 0
    with pytest.raises(ValueError, match="starts must be at least 1; got 0"):
        Options(starts=0)


def test_divergence_names_restart_and_step():
    check_some_finite(np.array([-np.inf, 1.0]), np.array([0, 3]))
    with pytest.raises(FitError, match="all 2 restarts diverged; restart 1 .* step 3"):
        check_some_finite(np.full(2, -np.inf), np.array([0, 3]))


def test_rows_held_out_are_a_tenth_and_leave_enough():
    named = {"big": rows(n=200)[0], "tiny": rows(n=5)[0]}
    train, valid = hold_out(shuffled(np.random.default_rng(0), named))
    assert {d: (len(train[d]), len(valid[d])) for d in named} == {"big": (180, 20), "tiny": (5, 5)}
    together = np.concatenate([train["big"], valid["big"]])
    np.testing.assert_array_equal(np.sort(together, 0), np.sort(named["big"], 0))
    assert "tiny" in size_notes(train)[0]
    assert size_notes({"big": named["big"]}) == ()


def test_auto_takes_the_smallest_k_as_good_as_dense():
    path = [
        PathPoint(0, -3.0, 1.0, 0.01, -0.9),
        PathPoint(1, -2.01, 0.01, 0.004, 0.001),
        PathPoint(2, -2.0, 0.0, 0.0, 0.0),
    ]
    assert choose_k(path) == 1
    assert choose_k([path[0], path[2]]) == 2


def test_few_held_out_rows_do_not_outvote_the_rows_fitted():
    unsure = PathPoint(0, -3.0, 0.4, 0.5, -0.3)
    assert choose_k([unsure, PathPoint(1, -2.6, 0.0, 0.0, 0.0)]) == 1
