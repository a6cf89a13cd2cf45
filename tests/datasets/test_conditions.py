"""Conditions on rows: read by hand, never run as code."""

import pandas as pd
import pytest

from elsewhere.datasets.conditions import read_condition
from elsewhere.datasets.tables import TableError

pytestmark = pytest.mark.fast
TABLE = pd.DataFrame(
    {"kind": ["a", "b", "a b", "a"], "age": ["9", "30", "", "70"], "my column": [1, 2, 3, 4]}
)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('kind == "a"', [0, 3]),
        ("kind == 'a b'", [2]),
        ('kind != "a"', [1, 2]),
        ("age < 60", [0, 1]),
        ("age >= 9", [0, 1, 3]),
        ('kind == "a" and age < 60', [0]),
        ('kind == "b" or kind == "a" and age > 60', [1, 3]),
        ("`my column` > 2", [2, 3]),
    ],
)
def test_rows_that_it_holds_for(text, rows):
    assert read_condition(text).holds(TABLE).nonzero()[0].tolist() == rows


@pytest.mark.parametrize(
    "text",
    ["", "kind", "kind ==", "kind = 1", "kind == a", '"a" == kind', "kind == 1 and",
     "kind == 1 xor age == 2", "__import__('os')", "(kind == 1)", "age == 1 age == 2"],
)  # fmt: skip
def test_what_it_cannot_read_is_refused_with_an_example(text):
    with pytest.raises(TableError, match='diagnosis == "control"'):
        read_condition(text)
