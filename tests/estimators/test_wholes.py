"""A fit to a sample and one pass over all rows is nearly that of a table with all of them."""

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.estimators.wholes import NOTE, OUTSIDE

N, FEW = 12_000, 600


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(100)
    code = rng.choice(3, N, p=[0.5, 0.3, 0.2])
    x = rng.standard_normal((N, 3)) @ rng.standard_normal((3, 3))
    x = x * (1 + 0.3 * code[:, None]) + code[:, None] * rng.standard_normal(3)
    x[:, 0] = np.exp(0.3 * x[:, 0])
    return pd.DataFrame(x, columns=["a", "b", "c"]), pd.Series(np.array(list("xyz"))[code])


def batches(X, domains, size=5_000):
    return ((X[i : i + size], domains[i : i + size]) for i in range(0, len(X), size))


def fitted(X, domains, rows=N, **given):
    return DomainCounterfactual(mixing="moments").fit(X[:rows], domains[:rows], **given)


def test_answers_are_nearly_those_of_all_rows(table):
    estimators = fitted(*table), fitted(*table, FEW), fitted(*table, FEW, whole=batches(*table))
    assert NOTE in estimators[2].notes_
    full, sample, whole = (e.counterfactual(*table, "y").to_numpy() for e in estimators)
    off = [np.sqrt(((answer - full) ** 2).mean(axis=0)) for answer in (sample, whole)]
    assert (off[1] < 0.3 * off[0]).all()
    assert (off[1] < 0.02 * full.std(axis=0)).all()


def test_a_sample_of_all_rows_changes_nothing(table):
    full, whole = fitted(*table), fitted(*table, whole=batches(*table))
    pd.testing.assert_frame_equal(
        full.counterfactual(*table, "y"), whole.counterfactual(*table, "y")
    )


@pytest.mark.parametrize("value", [-1.0, np.nan])
def test_rows_that_the_links_have_no_place_for_leave_the_sample_alone(table, value):
    X, domains = table[0].copy(), table[1]
    X.loc[N - 1, "a"] = value
    found = fitted(X, domains, FEW, whole=batches(X, domains))
    assert OUTSIDE in found.notes_
    plain = fitted(X, domains, FEW)
    pd.testing.assert_frame_equal(
        found.counterfactual(X[:9], domains[:9], "y"), plain.counterfactual(X[:9], domains[:9], "y")
    )
