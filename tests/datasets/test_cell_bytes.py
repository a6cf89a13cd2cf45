"""Cells looked at byte by byte say what Python says of each."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.datasets.cell_bytes import decimals_of, is_plain, written_digits

pytestmark = pytest.mark.fast
CELLS = st.lists(st.text("0123456789.-e ,", max_size=6), min_size=1, max_size=8)


@given(CELLS, st.integers(0, 3))
def test_plain_cells_are_digits_points_and_signs(cells, start):
    column = pa.array(cells, pa.string()).slice(min(start, len(cells) - 1))
    rest = column.to_pylist()
    assert is_plain(column) == all(cell and set(cell) <= set("0123456789.-,+/") for cell in rest)
    assert is_plain(pa.chunked_array([column, column])) == is_plain(column)


def test_a_gap_is_not_plain():
    assert not is_plain(pa.array(["1", None]))
    assert not is_plain(pa.array([1, 2]))


@given(CELLS, st.integers(0, 3))
def test_decimals_are_what_follows_the_only_point(cells, start):
    column = pa.array(cells, pa.string()).slice(min(start, len(cells) - 1))
    found, parts = decimals_of(column), [cell.split(".") for cell in column.to_pylist()]
    if any(len(part) != 2 for part in parts):
        assert found is None
    else:
        assert found.tolist() == [len(part[1]) for part in parts]


@given(
    st.lists(st.integers(-(10**13), 10**13), min_size=1, max_size=20),
    st.integers(0, 12),
    st.booleans(),
)
def test_digits_are_written_as_python_writes_them(numbers, decimals, fixed):
    found = written_digits(np.array(numbers), decimals, fixed=fixed, point=False).to_pylist()
    for number, text in zip(numbers, found, strict=True):
        whole, rest = divmod(abs(number), 10**decimals)
        after = f"{rest:0{decimals}d}" if decimals else ""
        after = after if fixed else after.rstrip("0")
        assert text == "-" * (number < 0) + str(whole) + ("." + after if after else "")
