"""Answers as columns of Arrow: in the type of the column, and as they were where they stay."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc


def answer_type(estimator: Any, field: pa.Field) -> pa.DataType:
    """That of the column, unless it holds whole numbers and the answers are fractions."""
    link, whole = estimator.links_.get(field.name), _whole_total(estimator, field.name)
    fraction = pa.types.is_floating(field.type) or pa.types.is_decimal(field.type)
    modelled = link is None or field.name in estimator.space_.levels or link.whole
    same = fraction or (modelled and whole)
    return field.type if same else pa.float64()


def answered_columns(estimator: Any) -> list[str]:
    """The columns of an answer that are new: those modelled, and the totals of their sums."""
    return [str(name) for name in (*estimator.links_, *estimator.space_.columns.totals)]


def _whole_total(estimator: Any, name: Hashable) -> bool:
    """Whether a column is no total, or one whose parts are whole numbers in every answer."""
    parts = dict(estimator.space_.columns.sums).get(name, ())
    return all(getattr(estimator.links_.get(part), "whole", True) for part in parts)


def answered(old: pa.Array, new: Any, kept: np.ndarray, kind: pa.DataType) -> pa.Array:
    """One column of the answer; what is kept is as it was, to the letter.

    Args:
        old: the column asked about.
        new: the answers, as Arrow's array or a pandas Series.
        kept: rows that stay as they are.
        kind: the type of the answer.
    """
    fresh = as_type(_plain(new), kind)
    if not kept.any():
        return fresh
    return pc.if_else(pa.array(kept), as_type(old, kind), fresh)  # type: ignore[attr-defined]


def _plain(new: Any) -> pa.Array:
    dtype = new.dtype if isinstance(new, pd.Series) else None
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":  # pandas' nullable ones have gaps
        return pa.array(new.to_numpy())
    return new if isinstance(new, pa.Array) else pa.array(new, from_pandas=True)


def repeated_label(label: Hashable, kind: pa.DataType, n: int, known: pa.Array | None) -> pa.Array:
    """The label n times; a category keeps all of its categories and their order."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    value = str(label) if pa.types.is_string(plain) or pa.types.is_large_string(plain) else label
    scalar = pa.scalar(value, plain)
    if not pa.types.is_dictionary(kind):
        return pa.repeat(scalar, n)
    labels = known.dictionary if known is not None else pa.array([], plain)
    if not pc.any(pc.equal(labels, scalar)).as_py():  # type: ignore[attr-defined]
        labels = pa.concat_arrays([labels, pa.array([value], plain)])
    place = pc.index(labels, scalar).as_py()  # type: ignore[attr-defined]
    places = pa.repeat(pa.scalar(place, kind.index_type), n)
    return pa.DictionaryArray.from_arrays(places, labels, ordered=kind.ordered)


def repeated_part(part: str, kind: pa.DataType, n: int, known: pa.Array | None) -> pa.Array:
    """A part of a joined label n times, in the type of the column that it came from."""
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    return repeated_label(pa.scalar(part).cast(plain).as_py(), kind, n, known)


def as_type(column: Any, kind: pa.DataType) -> Any:
    """The column in this type; decimals are rounded to its places."""
    if column.type == kind:
        return column
    if pa.types.is_decimal(kind) and pa.types.is_floating(column.type):
        return pc.round(column, kind.scale).cast(kind, safe=False)  # type: ignore[attr-defined]
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_dictionary(kind):
        return column.cast(kind.value_type).dictionary_encode().cast(kind)
    return column.cast(kind)
