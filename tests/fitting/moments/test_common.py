"""An offset that all columns have in common is found, and none where there is none."""

import numpy as np
import pytest

from elsewhere.fitting.moments.common import along_pattern, share_of
from elsewhere.fitting.moments.errors import errors_of, mixed
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.populations import shrink_along
from elsewhere.fitting.units import Units

UNITS = np.geomspace(0.2, 4, 12)


def spectra(seed, n=40):
    """Rows that vary mostly together, in columns of very different deviations."""
    rng = np.random.default_rng(seed)
    together = rng.standard_normal((n, 1)) * np.linspace(0.8, 1.2, 12)
    return UNITS * (together + 0.1 * rng.standard_normal((n, 12)))


def test_an_offset_of_the_whole_instrument_is_found_where_samples_hardly_vary():
    """The mean of 40 rows errs by .16 deviations; what moves all columns is known far better."""
    ours, plain = [], []
    for seed in range(5):
        one, other = spectra(seed), spectra(seed + 100) + 0.5
        model = affine_map({"a": one, "b": other}, units=Units(np.ones(12)))
        moved = model.move(one, d="a", d_prime="b") - one
        ours.append(np.mean(((moved - 0.5) / UNITS) ** 2))
        plain.append(np.mean(((other.mean(axis=0) - one.mean(axis=0) - 0.5) / UNITS) ** 2))
    assert np.mean(ours) < 0.3 * np.mean(plain)


def test_offsets_of_no_order_have_nothing_in_common():
    shares = {True: [], False: []}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rows = spectra(seed, 80) / UNITS
        errors = errors_of(rows - rows.mean(axis=0), np.array([40.0, 40.0]), 78)
        w = (1 / UNITS) / np.sqrt((1 / UNITS**2).mean())
        for together, offset in ((True, w), (False, rng.standard_normal(12))):
            ((b, v),) = errors.parts(np.stack([0 * offset, 0.5 * offset]))
            b = b + np.sqrt(v) * rng.standard_normal(v.shape)
            arguments = b, v, errors.along
            found = along_pattern(*arguments, w @ errors.codes.basis, 1e3)
            shares[together].append(share_of(found, shrink_along(*arguments)))
    assert np.median(shares[True]) > 0.9
    assert np.median(shares[False]) < 0.4


def test_the_common_offset_is_known_as_well_as_it_says():
    rows = spectra(0, 80) / UNITS
    errors = errors_of(rows - rows.mean(axis=0), np.array([40.0, 40.0]), 78)
    w, rng, away = np.ones(12) @ errors.codes.basis, np.random.default_rng(1), []
    for _ in range(40):
        ((_, v),) = errors.parts(np.zeros((2, 12)))
        b = 0.7 * w + np.sqrt(v) * rng.standard_normal(v.shape)
        found = along_pattern(b, v, errors.along, w, 1e3)
        away.append((found.size[0] - 0.7) / np.sqrt(found.variance[0]))
    assert np.mean(np.abs(away) < 1.645) > 0.8


def test_a_column_that_never_varies_does_not_hide_what_others_have_in_common():
    one, other = spectra(3), spectra(4) + 0.5
    still = np.ones((40, 1))
    alone = affine_map({"a": one, "b": other}, units=Units(np.ones(12)))
    beside = affine_map(
        {"a": np.hstack([one, still]), "b": np.hstack([other, still])}, units=Units(np.ones(13))
    )
    moved = beside.move(np.hstack([one, still]), d="a", d_prime="b")
    np.testing.assert_allclose(moved[:, :-1], alone.move(one, d="a", d_prime="b"), atol=0.1)
    np.testing.assert_allclose(moved[:, -1], 1.0, atol=1e-3)


@pytest.mark.fast
def test_two_explanations_spread_as_far_as_they_disagree():
    mean, variance = mixed(0.25, (np.array([4.0]), np.array([1.0])), (np.zeros(1), np.ones(1)))
    assert mean[0] == 1.0
    assert variance[0] == pytest.approx(1 + 0.25 * 0.75 * 16)


def test_what_units_are_shared_is_the_same_whatever_they_are_called():
    one, other = spectra(5), spectra(6) + 0.5
    plain = affine_map({"a": one, "b": other}, units=Units(np.ones(12)))
    linked = affine_map({"a": one / UNITS, "b": other / UNITS}, units=Units(1e3 * UNITS))
    moved = linked.move(one / UNITS, d="a", d_prime="b")
    np.testing.assert_allclose(moved * UNITS, plain.move(one, d="a", d_prime="b"), atol=1e-6)


def test_a_column_is_no_less_known_than_from_its_own_rows():
    """Three codes tell next to nothing of what 60 columns have in common."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 60))
    rows = rows / rows.std(axis=0) + 0.6 * rng.standard_normal((40, 60))
    errors = errors_of(rows - rows.mean(axis=0), np.array([20.0, 20.0]), 38)
    estimates = rng.standard_normal((2, 60))
    variances = errors.shrunken(estimates - estimates.mean(axis=0), pattern=np.ones(60))[1]
    alone = errors.compared.variances[0] * (errors.codes.basis**2 @ errors.along + errors.own)
    plain = errors.shrunken(estimates - estimates.mean(axis=0))[1]
    between = 0.25 * (estimates[1] - estimates[0]) ** 2  # of two explanations as likely as not
    assert (variances[0] <= np.maximum(alone, plain[0]) + between).all()
