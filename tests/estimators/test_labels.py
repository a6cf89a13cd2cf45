"""Labels of any kind become codes; what cannot be a label is refused."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.errors import DomainError
from elsewhere.estimators.labels import check_label, codes_of, factorised, ordered

KINDS = {
    "text": ["b", "a", "b"],
    "numbers": [3, 1, 3],
    "floats": [0.5, -1.0, 0.5],
    "truth": [True, False, True],
    "dates": [datetime.date(2021, 1, 1), datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)],
    "tuples": [("x", 2), ("x", 1), ("x", 2)],
}


@pytest.mark.parametrize("labels", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("wrap", [list, lambda v: pd.Series(v, dtype=object)])
def test_any_kind_sorted(labels, wrap):
    _, found = factorised("domains", wrap(labels), 3)
    names = ordered(found)
    assert names == tuple(sorted(set(labels)))
    assert codes_of("domains", wrap(labels), 3, names).tolist() == [1, 0, 1]


def test_arrays_and_categories_give_plain_labels():
    for labels in (np.array([2, 1]), pd.Series(["u", "v"], dtype="category"), np.array(["u", "v"])):
        _, found = factorised("domains", labels, 2)
        assert {type(label) for label in found} <= {int, str}


def test_what_cannot_be_compared_keeps_its_order():
    assert ordered(factorised("domains", ["b", 1, "a"], 3)[1]) == ("b", 1, "a")


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1))
def test_codes_find_their_labels(labels):
    codes = codes_of("source", labels, len(labels), ("a", "b", "c"))
    assert [("a", "b", "c")[i] for i in codes] == labels


def test_one_label_for_all_rows():
    assert codes_of("source", "b", 3, ("a", "b")).tolist() == [1, 1, 1]
    assert codes_of("source", ("x", 1), 2, (("x", 0), ("x", 1))).tolist() == [1, 1]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT])
def test_missing_labels_are_refused(missing):
    with pytest.raises(ValueError, match="domains must not be missing; row 1 has none"):
        factorised("domains", ["a", missing], 2)


def test_other_mistakes():
    with pytest.raises(ValueError, match="X has 3 rows; got 2 labels"):
        factorised("domains", ["a", "b"], 3)
    with pytest.raises(ValueError, match="got None"):
        factorised("domains", None, 3)
    with pytest.raises(
        DomainError, match=r"source must be domains of the fit, \['a'\]; got \['b'\]"
    ):
        codes_of("source", ["a", "b"], 2, ("a",))
    with pytest.raises(ValueError, match=r"one class only, \['a'\]"):
        ordered(["a"])
    with pytest.raises(ValueError, match="must not be called 'all'"):
        check_label("all")
    with pytest.raises(ValueError, match="must not be missing"):
        check_label(None)
