"""Tables that change while they are read end in an error, never in a bus error."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from elsewhere.datasets.tables import TableError, open_table

TABLE = pa.table({"a": np.random.default_rng(0).normal(size=400_000)})
WRITE = {
    "feather": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "parquet": lambda path: pq.write_table(TABLE, path, row_group_size=50_000),
}


@pytest.mark.parametrize("kind", WRITE)
def test_a_table_that_is_cut_while_it_is_read(tmp_path, kind):
    path = tmp_path / f"d.{kind}"
    WRITE[kind](str(path))
    batches = open_table(str(path)).batches()
    first = next(batches)
    os.truncate(path, 1000)
    try:
        rows = first.num_rows + sum(batch.num_rows for batch in batches)
    except (TableError, OSError):
        return
    assert rows == TABLE.num_rows  # all had been read by then


@pytest.mark.parametrize("kind", WRITE)
def test_a_table_that_was_cut_before(tmp_path, kind):
    path = tmp_path / f"d.{kind}"
    WRITE[kind](str(path))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises((TableError, OSError)):
        open_table(str(path)).read()
