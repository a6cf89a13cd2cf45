"""Tables as people have them: read rightly, or refused in one line with the remedy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elsewhere.cli.labels import check_labels

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.normal(size=(40, 2)).round(3), columns=["a", "b"])
FRAME["site"] = ["north", "south"] * 20
TEXT = FRAME.to_csv(index=False)


def first(column, value):
    return FRAME.assign(**{column: [value, *FRAME[column][1:].astype(str)]}).to_csv(index=False)


def fit(run, path, out):
    return run("fit", path, "--domain", "site", "--mixing", "moments", "--out", out, "--force")


READ = {
    "byte order mark": ("\ufeff" + TEXT).encode(),
    "line ends of Windows": TEXT.replace("\n", "\r\n").encode(),
    "quoted newlines": FRAME.assign(note="two\nlines").to_csv(index=False).encode(),
    "NUL in a carried cell": FRAME.assign(note="a\0b").to_csv(index=False).encode(),
    "a huge whole number": first("a", str(10**30)).encode(),
}
REFUSED = {
    "UTF-16": (TEXT.encode("utf-16"), "must be UTF-8"),
    "ragged rows": (TEXT.encode() + b"1,2\n", "Expected 3 columns, got 2"),
    "mixed types": (first("a", "high").encode(), "'high' in row 1"),
    "1e308": (first("a", "1e308").encode(), "within ±1e+150; got 1e+308 at row 1, column 'a'"),
    "labels that differ in spaces": (TEXT.replace("south", "north ").encode(), "by spaces alone"),
    "labels that differ in type": (
        TEXT.replace("north", "1").replace("south", "1.0").encode(),
        "how a number is written",
    ),
    "labels that mean every domain": (TEXT.replace("north", "all").encode(), "called 'all'"),
}


@pytest.mark.parametrize("name", READ)
def test_read_rightly(run, tmp_path, name):
    (tmp_path / "d.csv").write_bytes(READ[name])
    answer = fit(run, tmp_path / "d.csv", tmp_path / "a.model")
    assert answer.code == 0, answer.err
    assert "40 rows of 2 domains, 2 columns" in answer.err


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_one_line(run, tmp_path, name):
    content, message = REFUSED[name]
    (tmp_path / "d.csv").write_bytes(content)
    answer = fit(run, tmp_path / "d.csv", tmp_path / "a.model")
    assert (answer.code, len(answer.err.splitlines())) == (1, 1), answer.err
    assert message in answer.err
    assert not (tmp_path / "a.model").exists()


def test_a_wild_value_of_a_file_is_a_note(run, tmp_path):
    (tmp_path / "d.csv").write_text(first("a", "1e12"))
    answer = fit(run, tmp_path / "d.csv", tmp_path / "a.model")
    assert "note: row 1, column 'a' holds 1e+12" in answer.err


ARROW = {
    "dictionary of labels": {"site": pa.array(FRAME["site"]).dictionary_encode()},
    "dictionary of numbers": {"a": pa.array(FRAME["a"]).dictionary_encode()},
    "nested columns": {"s": pa.array([{"x": 1}] * 40), "l": pa.array([[1, 2]] * 40)},
    "float32": {"a": pa.array(FRAME["a"].astype("float32"))},
}


@pytest.mark.parametrize("name", ARROW)
def test_columns_of_parquet(run, tmp_path, name):
    columns = {column: pa.array(FRAME[column]) for column in FRAME} | ARROW[name]
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    answer = fit(run, tmp_path / "d.parquet", tmp_path / "a.model")
    assert answer.code == 0, answer.err
    assert "40 rows of 2 domains, 2 columns" in answer.err


@pytest.mark.fast
def test_labels_that_read_alike():
    check_labels(["007", "7", "a", "A", 8, 8.5])
    for pair in (["a", " a"], ["1", "1.0"], [1, "1"], ["-2.", "-2"]):
        with pytest.raises(ValueError, match="make them one"):
            check_labels(pair)
