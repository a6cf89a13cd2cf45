"""Several columns of domains in a file as one, and back: site and scanner as 'site × scanner'."""

from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from elsewhere.crossed_labels import joined, parted
from elsewhere.datasets.label_columns import row_labels
from elsewhere.datasets.table_reading import TableFile


def with_joined(table: pa.Table, name: str, file: str) -> pa.Table:
    """The table with the joined column of this name as its last; as it is where it has that column.

    Args:
        table: some rows.
        name: of the column, as 'site × scanner'.
        file: what the table is called in messages.
    """
    names = parted(name)
    if name in table.column_names or len(names) < 2:
        return table
    coded = [row_labels(table[one], one, file) for one in names]
    every = np.stack([codes for codes, _ in coded])
    places, found = np.unique(every, axis=1, return_inverse=True)
    labels = [[known[i] for (_, known), i in zip(coded, place, strict=True)] for place in places.T]
    indices = pa.array(np.ravel(found).astype(np.int32))
    column = pa.DictionaryArray.from_arrays(indices, pa.array(list(map(joined, labels))))
    return table.append_column(name, column.cast(pa.string()))


def joined_file(file: TableFile, name: Hashable) -> TableFile:
    """The file with its joined column, where it has the columns that this is of."""
    names = parted(name)
    if len(names) < 2 or not {*names} <= {*file.schema.names} or name in file.schema.names:
        return file

    def batches() -> Iterator[pa.Table]:
        return (with_joined(table, str(name), file.name) for table in file.batches())

    schema = file.schema.append(pa.field(str(name), pa.string()))
    return replace(file, schema=schema, batches=batches)
