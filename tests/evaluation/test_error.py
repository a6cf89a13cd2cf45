"""The counterfactual error against loops, and the shapes it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.evaluation import counterfactual_error, normalised_error


def arrays(seed, D=3, n=4, m=2):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(D, D, n, m)), rng.normal(size=(D, D, n, m)), rng.normal(size=(D, n, m))


@given(st.integers(0, 99), st.integers(2, 5), st.integers(1, 4), st.integers(1, 4))
def test_it_is_the_mean_over_ordered_pairs(seed, D, n, m):
    estimated, true, _ = arrays(seed, D, n, m)
    pairs = [(i, j) for i in range(D) for j in range(D) if i != j]
    expected = np.mean([np.mean((estimated[p] - true[p]) ** 2) for p in pairs])
    assert counterfactual_error(estimated, true) == pytest.approx(expected, rel=1e-12)


def test_the_diagonal_is_not_read():
    estimated, true, _ = arrays(0)
    changed = estimated.copy()
    changed[np.arange(3), np.arange(3)] = np.nan
    assert counterfactual_error(changed, true) == counterfactual_error(estimated, true)


def test_the_paper_s_printed_sum_is_2m_times_as_large():
    estimated, true, _ = arrays(1, D=3, n=1, m=2)
    total = sum(np.sum((estimated[i, j] - true[i, j]) ** 2) for i in range(3) for j in range(3)
                if i != j)  # fmt: skip
    assert 2 / (3 * 2) * total == pytest.approx(2 * 2 * counterfactual_error(estimated, true))


def test_perfect_is_0_and_doing_nothing_is_1():
    _, true, x = arrays(2)
    nothing = np.broadcast_to(x[:, None], true.shape)
    assert normalised_error(true, true, x) == 0
    assert normalised_error(nothing, true, x) == 1


def test_the_normalised_error_has_no_units():
    estimated, true, x = arrays(3)
    assert normalised_error(7 * estimated, 7 * true, 7 * x) == pytest.approx(
        normalised_error(estimated, true, x)
    )


def test_one_domain_off_by_2_in_one_coordinate():
    true, estimated = np.zeros((2, 2, 1, 2)), np.zeros((2, 2, 1, 2))
    estimated[0, 1, 0, 0] = 2.0
    assert counterfactual_error(estimated, true) == 1.0


@pytest.mark.parametrize("shape", [(3, 4, 2), (2, 3, 4, 2), (1, 1, 4, 2), (2, 2, 0, 2)])
def test_wrong_shapes_are_named(shape):
    with pytest.raises(ValueError, match="true must"):
        counterfactual_error(np.zeros(shape), np.zeros(shape))


def test_mismatches_are_named():
    estimated, true, x = arrays(4)
    with pytest.raises(ValueError, match="estimated must have the shape of true"):
        counterfactual_error(estimated[..., :1], true)
    with pytest.raises(ValueError, match="x must have shape"):
        normalised_error(estimated, true, x[0])


def test_equal_domains_have_no_normalised_error():
    _, _, x = arrays(5)
    same = np.broadcast_to(x[:, None], (3, *x.shape))
    with pytest.raises(ValueError, match="doing nothing"):
        normalised_error(same, same, x)
