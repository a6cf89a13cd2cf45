"""Numbers read out of text."""

import pyarrow as pa
import pytest

from elsewhere.datasets.table_numbers import FEW, text_numbers, text_numbers_of_each

pytestmark = pytest.mark.fast
CASES = {
    "integers": (["1", "2", ""], pa.int64(), [1, 2, None]),
    "zeros first": (["007", "1"], pa.int64(), [7, 1]),
    "large": (["9223372036854775807", "1"], pa.int64(), [2**63 - 1, 1]),
    "base 16": (["0x1F", "0x10"], pa.int64(), [31, 16]),
    "fractions": (["1.5", "NA", " 2"], pa.float64(), [1.5, None, 2.0]),
    "whole fractions": (["5.0", "6.0"], pa.float64(), [5.0, 6.0]),
    "an exponent": (["1e3", "2"], pa.float64(), [1000.0, 2.0]),
}


@pytest.mark.parametrize("name", CASES)
def test_text_is_read_as_integers_else_as_floats(name):
    cells, kind, values = CASES[name]
    column = pa.chunked_array([cells])
    for found in (text_numbers(column), *text_numbers_of_each([column, column])):
        assert found is not None
        assert (found.type, found.to_pylist()) == (kind, values)


@pytest.mark.parametrize("cells", [["a", "1"], ["", "NA"], ["1"] * (2 * FEW) + ["x"], []])
def test_other_text_is_no_number(cells):
    assert text_numbers(pa.chunked_array([pa.array(cells, pa.string())])) is None
