"""Answers as cells of text: what Arrow writes is what Python's formatting writes."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.cli.answer_cells import Style, measured, style_of
from elsewhere.estimators import Link

pytestmark = pytest.mark.fast
NUMBERS = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-10, 10),
    st.integers(-(10**9), 10**9).map(lambda n: n / 2),
    st.integers(-(10**6), 10**6).map(lambda n: n / 1000 + 0.0005),
)


@given(
    st.lists(NUMBERS, min_size=1, max_size=50),
    st.integers(0, 9),
    st.booleans(),
    st.booleans(),
)
def test_numbers_are_written_as_python_writes_them(values, decimals, fixed, point):
    style = Style(decimals, fixed, point)
    x = np.array(values)
    assert style.written(x).to_pylist() == [style._one(v) for v in x.tolist()]


@given(st.lists(NUMBERS, min_size=1, max_size=50))
def test_whole_numbers_of_any_size_are_written_as_python_writes_them(values):
    sizes = np.random.default_rng(len(values)).normal(size=22) * 10.0 ** np.arange(-6, 16)
    x = np.append(values, sizes)
    assert Style(None).written(x).to_pylist() == [Style(None)._one(v) for v in x.tolist()]


def test_a_number_that_rounding_would_take_out_of_bounds_stays_whole():
    link = Link("log", low=0.0)
    x = np.array([0.001, 0.26, 3.0])
    assert Style(1).written(x, link).to_pylist() == ["0.001", "0.3", "3"]


@pytest.mark.parametrize(
    ("cells", "style"),
    [
        (["1.5", "2.25"], Style(2)),
        (["1.50", "2.25"], Style(2, fixed=True)),
        (["1.0", "2"], Style(1, point=True)),
        (["10", "20", ""], Style(0)),
        (["1e5", "2.5"], Style(None)),
        (["0.1234567890123", "1"], Style(None)),
        (["NA"], Style(0)),
    ],
)
def test_the_style_is_that_of_all_parts(cells, style):
    parts = [measured(pa.chunked_array([[cell]])) for cell in cells]
    assert style_of(parts) == style
    assert style_of([measured(pa.chunked_array([cells]))]) == style
