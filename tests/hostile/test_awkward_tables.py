"""Tables as people have them: read rightly, or refused in one line with the remedy."""

import csv
import gzip
from decimal import Decimal

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
    "every cell in quotes": FRAME.to_csv(index=False, quoting=csv.QUOTE_ALL).encode(),
    "line ends of old Macs": TEXT.replace("\n", "\r").encode(),
    "blank lines": TEXT.replace("\n", "\n\n").encode(),
}
REFUSED = {
    "UTF-16": (TEXT.encode("utf-16"), "must be UTF-8"),
    "UTF-16 without a mark": (TEXT.encode("utf-16-le"), "looks like UTF-16"),
    "Latin-1": (TEXT.replace("north", "nörd").encode("latin-1"), "must be UTF-8"),
    "semicolons": (TEXT.replace(",", ";").encode(), "by semicolons: save it with commas"),
    "a compressed file": (gzip.compress(TEXT.encode()), "compressed; let its name end in .gz"),
    "a workbook": (b"PK\x03\x04" + bytes(99), "a workbook or a ZIP file; save its sheet as CSV"),
    "a Parquet file": (b"PAR1" + bytes(99), "let its name end in .parquet"),
    "1e-300": (
        FRAME.assign(a=FRAME["a"] * 1e-300).to_csv(index=False).encode(),
        "vary by 1e-140 or more, or not at all; 'a' varies by",
    ),
    "ragged rows": (
        TEXT.encode() + b"1,2\n",
        "Expected 3 columns, got 2: 1,2. Give every row as many",
    ),
    "mixed types": (first("a", "high").encode(), "'high' in row 1"),
    "1_000": (first("a", "1_000").encode(), "but for 1 of 40 cells: '1_000' in row 1"),
    "1e308": (first("a", "1e308").encode(), "within ±1e+150; got 1e+308 at row 1, column 'a'"),
    "labels that differ in spaces": (TEXT.replace("south", "north ").encode(), "by spaces alone"),
    "labels that differ in type": (
        TEXT.replace("north", "1").replace("south", "1.0").encode(),
        "how a number is written",
    ),
    "labels that mean every domain": (TEXT.replace("north", "all").encode(), "called 'all'"),
}


def written(form):
    """The table with amounts of six digits in another notation."""
    return FRAME.assign(a=[form(100_000 * v) for v in FRAME["a"]]).to_csv(index=False).encode()


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


NOTATIONS = {
    "1,234": (lambda v: f"{v:,.0f}", "thousands separators"),
    "1 234": (lambda v: f"{v:,.0f}".replace(",", " "), "thousands separators"),
    "1\u202f234": (lambda v: f"{v:,.0f}".replace(",", "\u202f"), "thousands separators"),
    "1'234": (lambda v: f"{v:,.0f}".replace(",", "'"), "thousands separators"),
    "1.234.567": (lambda v: f"{1000 * v:,.0f}".replace(",", "."), "thousands separators"),
    "1.234,5": (german, "decimal commas"),
    "1,5": (lambda v: f"{v:.1f}".replace(".", ","), "decimal commas"),
    "12 %": (lambda v: f"{v:.1f} %", "percent signs"),
    "$-12": (lambda v: f"${v:.1f}", "currency signs"),
    "\u22125": (lambda v: f"{-abs(v):.1f}".replace("-", "\u2212"), "signs of another script"),
}
REFUSED |= {name: (written(form), what) for name, (form, what) in NOTATIONS.items()}


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
    "float16": {"a": pa.array(FRAME["a"].astype("float16"))},
    "decimals": {"a": pa.array([Decimal(str(v)) for v in FRAME["a"]])},
    "whole numbers that may be missing": {"a": pa.array([None, *range(2, 80, 2)], pa.int8())},
    "text in views": {"note": pa.array(["x"] * 40, pa.string_view())},
    "truth values, times, bytes and nothing": {
        "t": pa.array([True, False] * 20),
        "when": pa.array([0] * 40, pa.timestamp("ns", "UTC")),
        "raw": pa.array([b"\xff"] * 40),
        "none": pa.nulls(40),
    },
}


@pytest.mark.parametrize("name", ARROW)
def test_columns_of_parquet(run, tmp_path, name):
    columns = {column: pa.array(FRAME[column]) for column in FRAME} | ARROW[name]
    pq.write_table(pa.table(columns), tmp_path / "d.parquet")
    answer = fit(run, tmp_path / "d.parquet", tmp_path / "a.model")
    assert answer.code == 0, answer.err
    assert "40 rows of 2 domains, 2 columns" in answer.err
    asked = ("--to", "north", "--out", tmp_path / "o.parquet")
    assert run("counterfactual", tmp_path / "a.model", tmp_path / "d.parquet", *asked).code == 0
    assert pq.read_schema(tmp_path / "o.parquet").names == list(columns)


@pytest.mark.parametrize("coded", [False, True])
def test_numbers_that_parquet_has_as_text_are_named(run, tmp_path, coded):
    text = pa.array(FRAME["a"].astype(str))
    columns = {"b": FRAME["b"], "site": FRAME["site"]}
    table = pa.table(columns | {"a": text.dictionary_encode() if coded else text})
    pq.write_table(table, tmp_path / "d.parquet")
    answer = fit(run, tmp_path / "d.parquet", tmp_path / "a.model")
    assert "1 carried (numbers that the file has as text): a" in answer.err


@pytest.mark.parametrize("labels", [pa.array([{"x": 1}, {"x": 2}] * 20), pa.array([[1], [2]] * 20)])
def test_nested_labels_are_refused(run, tmp_path, labels):
    plain = pa.table({column: pa.array(FRAME[column]) for column in FRAME})
    nested = plain.set_column(2, "site", labels)
    pq.write_table(plain, tmp_path / "plain.parquet")
    pq.write_table(nested, tmp_path / "nested.parquet")
    assert fit(run, tmp_path / "plain.parquet", tmp_path / "a.model").code == 0
    asked = ("--to", "north", "--out", tmp_path / "o.parquet")
    for answer in (
        fit(run, tmp_path / "nested.parquet", tmp_path / "b.model"),
        run("counterfactual", tmp_path / "a.model", tmp_path / "nested.parquet", *asked),
    ):
        assert (answer.code, len(answer.err.splitlines())) == (1, 1), answer.err
        assert "must name a domain in every row, as text, numbers or dates do" in answer.err


def test_a_thousand_columns(run, tmp_path):
    wide = pd.DataFrame(RNG.normal(size=(20, 1000))).add_prefix("c").assign(site=FRAME["site"][:20])
    wide.to_csv(tmp_path / "d.csv", index=False)
    answer = fit(run, tmp_path / "d.csv", tmp_path / "a.model")
    assert "20 rows of 2 domains, 1000 columns" in answer.err


def test_a_line_without_end_is_not_unpacked(run, tmp_path, monkeypatch):
    monkeypatch.setattr("elsewhere.datasets.csv_stream.LARGEST_LINE", 1000)
    (tmp_path / "d.csv.gz").write_bytes(gzip.compress(b"0" * 5000))
    answer = fit(run, tmp_path / "d.csv.gz", tmp_path / "a.model")
    assert (answer.code, len(answer.err.splitlines())) == (1, 1)
    assert "lines of at most 1,000 bytes" in answer.err


@pytest.mark.fast
def test_labels_that_read_alike():
    check_labels(["007", "7", "a", "A", 8, 8.5, "1e3", "100"])
    unseen = (["a", "a\u200b"], ["\u00f6", "o\u0308"])
    for pair in (["a", " a"], ["1", "1.0"], [1, "1"], ["-2.", "-2"], ["1e0", "1"], *unseen):
        with pytest.raises(ValueError, match="Merge them"):
            check_labels(pair)
