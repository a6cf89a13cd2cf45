"""Covariates with missing entries, and offsets that covariates which differ may feign."""

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.covariates.chance_offsets import offsets_by_chance


def confounded(seed, offset=0.0, n=50, gap=3.0):
    """(age, rows, codes): ages of the second domain are `gap` deviations higher."""
    rng = np.random.default_rng(seed)
    codes = np.repeat([0, 1], n)
    age = rng.normal(size=2 * n) + gap * codes
    rows = age[:, None] * np.array([1.0, 0.5, 0.0]) + rng.normal(size=(2 * n, 3))
    return age, rows + offset * codes[:, None] * np.array([1.0, 0.0, 0.0]), codes


def white(age, codes):
    inside = np.concatenate([age[codes == i] - age[codes == i].mean() for i in (0, 1)])
    return ((age - age.mean()) / inside.std())[:, None]


def p_values(offset, seeds):
    tables = (confounded(seed, offset) for seed in seeds)
    return np.array([offsets_by_chance(white(age, c), y, c) for age, y, c in tables])


def test_offsets_are_as_rare_by_chance_as_they_are_said_to_be():
    found = p_values(0.0, range(60))
    assert 0 < (found <= 0.2).mean() < 0.35  # without covariates in the test: 0.5
    assert (found <= 0.005).mean() <= 0.02


def test_offsets_that_are_there_are_found():
    assert (p_values(3.0, range(6)) <= 0.005).all()


def test_a_difference_that_age_explains_moves_nothing():
    """At the level of 5 %, 11 of 225 such tables show an offset; by the rest alone 15 of 100."""
    moved = 0
    for seed in range(1000, 1025):
        age, rows, codes = confounded(seed)
        model = DomainCounterfactual(mixing="moments", links="identity")
        model.fit(rows, codes, covariates=pd.DataFrame({"age": age}))
        moved += model.result_.model.offsets.supported
    assert moved <= 2


def test_an_offset_of_one_deviation_is_found_where_ages_are_alike():
    tables = (confounded(seed, 1.0, gap=0.0) for seed in range(20))
    found = np.array([offsets_by_chance(white(age, c), y, c) for age, y, c in tables])
    assert (found <= 0.01).mean() > 0.8


def test_gaps_do_not_weaken_what_covariates_do():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 150)
    age = rng.normal(size=300) + codes
    whole = np.c_[2 * age, age] + rng.normal(size=(300, 2)) + np.c_[codes, 0 * codes]
    X = np.where(rng.random(whole.shape) < 0.4, np.nan, whole)
    kept = pd.DataFrame({"age": age})
    model = DomainCounterfactual(mixing="moments", links="identity")
    model.fit(X, codes, covariates=kept)
    answer = model.counterfactual(whole, codes, 0, covariates=kept)
    truth = whole - np.c_[codes, 0 * codes]
    error = np.sqrt(((answer - truth)[codes == 1] ** 2).mean())
    assert error < 0.35  # 0.6 to 0.7 if gaps are filled without regard to age


@pytest.mark.fast
def test_rows_in_any_order_have_the_same_p_value_up_to_its_draws():
    age, rows, codes = confounded(3)
    first = offsets_by_chance(white(age, codes), rows, codes)
    order = np.random.default_rng(0).permutation(len(codes))
    again = offsets_by_chance(white(age, codes)[order], rows[order], codes[order])
    assert abs(first - again) < 0.2


def test_offsets_that_covariates_hide_are_used_shrunken_rather_than_not_at_all():
    """Ages six deviations apart: rows can hardly show an offset of 2."""
    errors = []
    for seed in range(100, 106):
        age, rows, codes = confounded(seed, 2.0, gap=6.0)
        kept = pd.DataFrame({"age": age})
        model = DomainCounterfactual(mixing="moments", links="identity")
        model.fit(rows, codes, covariates=kept)
        moved = model.counterfactual(rows, codes, 0, covariates=kept)
        truth = rows - codes[:, None] * np.array([2.0, 0.0, 0.0])
        errors.append(((moved - truth)[codes == 1] ** 2).mean())
    assert np.mean(errors) < 0.8  # 4/3 if nothing were moved


def test_an_offset_found_given_covariates_is_not_judged_again_by_the_rest_alone():
    rng = np.random.default_rng(0)
    codes, age = np.repeat([0, 1], 60), rng.normal(size=120)
    rows = rng.normal(size=(120, 1)) @ np.ones((1, 9)) + 0.1 * rng.normal(size=(120, 9))
    rows = rows + age[:, None] + 1.2 * codes[:, None]
    model = DomainCounterfactual(mixing="moments", links="identity")
    model.fit(rows, codes, covariates=pd.DataFrame({"age": age}))
    assert model.result_.model.offsets.supported
    assert model.engine_.p_offsets == 1 / 400
