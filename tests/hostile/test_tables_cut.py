"""Tables that change while they are read end in an error, never in a bus error."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from elsewhere.datasets.tables import TableError, open_table

TABLE = pa.table({"a": np.random.default_rng(0).normal(size=400_000)})
WRITE = {
    "feather": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "parquet": lambda path: pq.write_table(TABLE, path, row_group_size=50_000),
    "csv": lambda path: pa_csv.write_csv(TABLE, path),
}


@pytest.mark.parametrize("kind", WRITE)
def test_a_table_that_is_cut_while_it_is_read(tmp_path, kind):
    path = tmp_path / f"d.{kind}"
    WRITE[kind](str(path))
    batches = open_table(str(path)).batches()
    first = next(batches)
    os.truncate(path, 1000)
    assert first.num_rows
    with pytest.raises((TableError, OSError)):
        list(batches)


def test_rows_that_vanish_or_change_are_no_fewer_rows(tmp_path):
    path = tmp_path / "d.csv"
    for change in (b"a\n1\n", b"a\n1\n3\n", b"a\n1\n2\n4\n"):
        path.write_bytes(b"a\n1\n2\n")
        file = open_table(str(path))
        assert file.read()["a"].to_pylist() == ["1", "2"]
        path.with_name("new").write_bytes(change)
        path.with_name("new").replace(path)
        with pytest.raises(TableError, match="changed while it was read"):
            file.read()


@pytest.mark.parametrize("kind", ["feather", "parquet"])
def test_a_table_that_was_cut_before(tmp_path, kind):
    path = tmp_path / f"d.{kind}"
    WRITE[kind](str(path))
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises((TableError, OSError)):
        open_table(str(path)).read()


def test_damage_within_a_table_names_the_file(tmp_path):
    path = tmp_path / "d.parquet"
    pq.write_table(pa.table({"a": np.arange(20_000) % 7}), path, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[100 : len(content) // 2] = bytes(len(content) // 2 - 100)
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"d\.parquet cannot be read as parquet: "):
        open_table(str(path)).read()


@pytest.mark.parametrize(
    ("there", "instead"),
    [(b"nord", b"n\xffrd"), ((0, 4, 8), (0, 4, 10**6)), ((0, 4, 8), (0, 9, 4))],
)
def test_text_that_is_none_names_the_file(tmp_path, there, instead):
    """Bytes that are no UTF-8, and offsets that lead out of them."""
    path = tmp_path / "d.feather"
    feather.write_feather(pa.table({"site": ["nord", "west"]}), path, "uncompressed")
    there, instead = (
        part if isinstance(part, bytes) else np.array(part, np.int32).tobytes()
        for part in (there, instead)
    )
    content = path.read_bytes()
    assert content.count(there) == 1
    path.write_bytes(content.replace(there, instead))
    with pytest.raises(TableError, match=r"d\.feather cannot be read as feather: "):
        open_table(str(path)).read()
