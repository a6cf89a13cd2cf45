"""Domain or covariate: in plain words, with both numbers and what to do."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.case import make_case
from elsewhere.trust.confounding import confounding_check

ROWS = 300


def verdict(age):
    rng = np.random.default_rng(0)
    labels = pd.Series(np.repeat(["A", "B"], ROWS), name="site")
    X = pd.DataFrame(rng.standard_normal((2 * ROWS, 2)) + 0.05 * age[:, None], columns=["a", "b"])
    kept = pd.DataFrame({"age": age})
    model = DomainCounterfactual(mixing="moments").fit(X, labels, covariates=kept)
    return confounding_check(make_case(model, X, labels, 0, covariates=kept)).verdict


@pytest.mark.parametrize(
    ("shift", "level", "words", "remedy"),
    [
        (0, "good", "What the covariates do can be told from what site does.", ""),
        (100, "bad", "site and age go together", "do not go together. Leave such rows out"),
    ],
)
def test_words_numbers_and_what_to_do(shift, level, words, remedy):
    age = np.random.default_rng(1).uniform(20, 60, 2 * ROWS)
    age[ROWS:] += shift
    found = verdict(age)
    assert found.level == level
    assert words in found.words
    assert ("100 % of the rows" in found.words) == bool(shift)
    assert remedy in found.remedy
    assert "fine up to 2, poor from 5" in found.measure
    assert "fine up to 5 %, poor from 20 %" in found.measure
