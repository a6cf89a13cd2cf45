"""Tables in and out of files."""

import io
import sys

import pandas as pd
import pyarrow as pa
import pytest

from elsewhere.datasets.table_columns import sort_columns
from elsewhere.datasets.table_numbers import numbers
from elsewhere.datasets.tables import TableError, format_of, open_table, writing_table
from table_data import table

FRAME = table().reset_index(drop=True)
WRITERS = {
    "csv": lambda path: FRAME.to_csv(path, index=False),
    "parquet": lambda path: FRAME.to_parquet(path),
    "feather": lambda path: FRAME.to_feather(path),
}


@pytest.fixture(params=WRITERS)
def path(request, tmp_path):
    path = tmp_path / f"data.{request.param}"
    WRITERS[request.param](path)
    return str(path)


def test_what_is_read_is_what_was_written(path):
    file = open_table(path)
    read = file.read()
    assert read.column_names == list(FRAME)
    assert read.num_rows == 300
    found = sort_columns(file, read, "site")
    assert found.modelled == ("mass", "count", "level", "flat")
    assert found.carried["id"] == "codes with leading zeros"
    for name in ("mass", "count", "level"):
        values = numbers(file, read, name).to_pandas()
        assert values.to_numpy() == pytest.approx(FRAME[name].to_numpy(), rel=1e-6)
    assert read["id"].to_pylist() == FRAME["id"].tolist()


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_into_every_format(path, kind, tmp_path):
    file, out = open_table(path), str(tmp_path / f"out.{kind}")
    with writing_table(out, file.schema) as write:
        for batch in file.batches():
            write(batch.slice(0, 200))
            write(batch.slice(200))
    again = open_table(out).read()
    assert again.column_names == file.schema.names
    assert again["site"].to_pylist() == FRAME["site"].tolist()
    assert [float(v) for v in again["level"].to_pylist()] == FRAME["level"].tolist()


def test_text_in_csv_comes_out_as_it_went_in(tmp_path, capsys):
    text = 'id,note,x\n007,"a, ""b""\nc",1.50\n1e3,,2\n'
    (tmp_path / "a.csv").write_text(text)
    file = open_table(str(tmp_path / "a.csv"))
    with writing_table("-", file.schema) as write:
        for batch in file.batches():
            write(batch)
    assert capsys.readouterr().out == text


def test_a_pipe_carries_csv(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa,b\n1,x\n")))
    file = open_table("-")
    assert file.schema.names == ["a", "b"]
    assert file.read().num_rows == 1


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", " 2 "], pa.int64()),
        (["1", "2.5"], pa.float64()),
        (["1", ""], pa.int64()),
        (["1e3", "NA"], pa.float64()),
        (["inf", "1"], pa.float64()),
        (["1", "x"], None),
        (["", ""], None),
    ],
)
def test_numbers_in_text(tmp_path, values, kind):
    pd.DataFrame({"a": values, "b": "x"}).to_csv(tmp_path / "a.csv", index=False)
    file = open_table(str(tmp_path / "a.csv"))
    read = file.read()
    if kind is None:
        with pytest.raises(TableError, match="column 'a' of .* must hold numbers"):
            numbers(file, read, "a")
    else:
        assert numbers(file, read, "a").type == kind


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty; a line with the columns' names comes first"),
        ("a.csv", b"a,b\n", "holds no rows"),
        ("a.csv", b"a,a\n1,2\n", r"duplicate column names: \['a'\]"),
        ("a.csv", b"a,b\n\xff,2\n", "must be UTF-8; byte 4 is not"),
        ("a.csv", b"a,b\n1,2,3\n", "cannot be read as csv"),
        ("a.parquet", b"", "is empty"),
        ("a.parquet", b"nothing like it", "cannot be read as parquet"),
        ("a.feather", b"nothing like it", "cannot be read as feather"),
        ("a.xlsx", b"", "must end in one of .csv"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=message):
        open_table(str(tmp_path / name)).read()


def test_a_parquet_file_cut_short(tmp_path):
    FRAME.to_parquet(tmp_path / "a.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(TableError, match="cannot be read as parquet"):
        open_table(str(tmp_path / "a.parquet")).read()


def test_a_directory_is_no_table(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(IsADirectoryError):
        open_table(str(tmp_path / "a.csv"))


def test_formats():
    assert [format_of(p) for p in ("-", "a.CSV", "b.pq", "c.arrow")] == [
        "csv",
        "csv",
        "parquet",
        "feather",
    ]
