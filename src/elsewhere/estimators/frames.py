"""polars and Arrow tables in, the same kind out: pandas inside, and narwhals on both sides."""

import inspect
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

OWNERS = {"polars", "pyarrow"}
Method = TypeVar("Method", bound=Callable[..., Any])


def of_any_frame(method: Method) -> Method:
    """A method of (X, …) that takes and returns pandas, for polars and Arrow tables as well.

    Whatever argument is such a table or column becomes one of pandas. DataFrames in the answer,
    alone, in a tuple or in a dictionary, become of the kind of X again.
    """
    names = list(inspect.signature(method).parameters)[1:]

    @wraps(method)
    def asked(self: Any, *given: Any, **named: Any) -> Any:
        table = given[0] if given else named.get(names[0])
        plain = [as_pandas(value) for value in given]
        answer = method(self, *plain, **{n: as_pandas(value) for n, value in named.items()})
        return like(table, plain[0] if given else as_pandas(table), answer)

    return asked  # type: ignore[return-value]


def is_foreign(value: Any) -> bool:
    """Whether it is a table or a column of polars or Arrow; nothing is loaded to find out."""
    return type(value).__module__.partition(".")[0] in OWNERS


def as_pandas(value: Any) -> Any:
    """A table or column of polars or Arrow as pandas has it; all else as it is.

    Whole numbers with nulls become pandas' nullable integers, decimals become floats, and what is
    ordered in polars (Enum) or Arrow is an ordered category.
    """
    if not is_foreign(value):
        return value
    found = _narwhal(value)
    if not hasattr(found, "columns"):
        name = found.name or None
        return _column(found.to_arrow(), found.dtype).rename(name)
    import pandas as pd

    table = found.to_arrow()
    columns = zip(found.columns, table.columns, strict=True)
    kinds = found.schema
    return pd.DataFrame({name: _column(c, kinds[name]) for name, c in columns}, copy=False)


def _narwhal(value: Any) -> Any:
    """The value in the hands of narwhals, if it is whole in memory."""
    try:
        import narwhals as nw
    except ImportError:
        raise ImportError(
            f"a {type(value).__module__.partition('.')[0]} table needs the package narwhals: "
            "pip install 'elsewhere[frames]'."
        ) from None
    import pyarrow as pa

    value = pa.chunked_array([value]) if isinstance(value, pa.Array) else value
    try:
        return nw.from_native(value, eager_only=True, allow_series=True)
    except TypeError:
        kind = f"{type(value).__module__.partition('.')[0]}.{type(value).__name__}"
        raise TypeError(
            "a table must be a pandas or polars DataFrame, a pyarrow Table or an array; got "
            f"{kind}. Collect a LazyFrame first; use `mover` for record batches."
        ) from None


def _column(column: Any, kind: Any) -> Any:
    """An Arrow column as pandas has it; `kind` is narwhals' type of it."""
    import pyarrow as pa

    from elsewhere.datasets.table_numbers import plain_numbers

    plain = plain_numbers(column)
    if pa.types.is_integer(plain.type) and plain.null_count:
        return plain.to_pandas(types_mapper=_nullable)
    found = _signed(plain).to_pandas()
    if type(kind).__name__ == "Enum":  # of polars: its categories have an order
        return found.cat.set_categories(list(kind.categories), ordered=True)
    return found


def _signed(column: Any) -> Any:
    """With indices that every pandas and Arrow can take, where the column is a dictionary."""
    import pyarrow as pa

    kind = column.type
    if not pa.types.is_dictionary(kind) or not pa.types.is_unsigned_integer(kind.index_type):
        return column
    return column.cast(pa.dictionary(pa.int64(), kind.value_type, kind.ordered))


def _nullable(kind: Any) -> Any:
    """pandas' nullable type of an Arrow type of integers: int64 is Int64, uint8 is UInt8."""
    import pandas as pd

    return pd.api.types.pandas_dtype(str(kind).replace("u", "U").replace("i", "I"))


def like(table: Any, asked: Any, answer: Any) -> Any:
    """The answer with its DataFrames as tables of the kind of `table`; `asked` is that in pandas.

    Args:
        table: what was asked about.
        asked: the same as pandas has it.
        answer: a DataFrame, or a tuple or dictionary of these; anything else stays as it is.
    """
    if not is_foreign(table):
        return answer
    if isinstance(answer, tuple):
        return tuple(like(table, asked, one) for one in answer)
    if isinstance(answer, dict):
        return {name: like(table, asked, one) for name, one in answer.items()}
    return _with_answers(table, asked, answer) if hasattr(answer, "iloc") else answer


def _with_answers(table: Any, asked: Any, answer: Any) -> Any:
    """The table with the columns of the answer that are new; the others are its own."""
    import narwhals as nw

    found = nw.from_native(table, eager_only=True)
    new = [
        _native(found[name], asked[name], answer[name])
        for name in found.columns
        if not answer[name].equals(asked[name])
    ]
    return found.with_columns(*new).to_native()


def _native(old: Any, asked: Any, answer: Any) -> Any:
    """One new column in the type of the old one, fractions where that holds whole numbers only."""
    import narwhals as nw
    import pyarrow as pa

    from elsewhere.estimators.arrow_cells import answered

    before = pa.concat_arrays(c.chunks) if isinstance(c := old.to_arrow(), pa.ChunkedArray) else c
    whole = pa.types.is_integer(before.type) and answer.dtype.kind == "f"
    kind = pa.float64() if whole else before.type
    stays = np.asarray(asked.isna()) & np.asarray(answer.isna())  # NaN as NaN, null as null
    if pa.types.is_dictionary(kind):
        array = _levels(before, answer)
    else:
        array = answered(before, answer, stays, kind)
    fresh = nw.from_arrow(pa.table({old.name: array}), backend=old.implementation)[old.name]
    return fresh if whole or fresh.dtype == old.dtype else fresh.cast(old.dtype)


def _levels(old: Any, answer: Any) -> Any:
    """The answer coded by the old column's dictionary, longer where a level is new to it."""
    import pyarrow as pa

    known = old.dictionary.to_pylist()
    values: list[Hashable] = [None if v != v else v for v in answer.tolist()]
    known += [v for v in dict.fromkeys(values) if v is not None and v not in known]
    place = {level: i for i, level in enumerate(known)}
    codes = pa.array([None if v is None else place[v] for v in values], old.type.index_type)
    labels = pa.array(known, old.type.value_type)
    return pa.DictionaryArray.from_arrays(codes, labels, ordered=old.type.ordered)
