"""One table with every kind of column, through the command with no option but --domain."""

import decimal
import gzip
import io
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 240
RNG = np.random.default_rng(0)
SITE = np.where(np.arange(ROWS) % 2, "north", "south")
Z = RNG.normal(size=ROWS) + 1.5 * (SITE == "north")
DAYS = pd.date_range("2024-01-01", periods=ROWS, freq="h", tz="Europe/Berlin")


def column(values, pattern):
    return [pattern.format(v) for v in values]


def with_gaps(cells, every, text=""):
    return [text if i % every == 3 else cell for i, cell in enumerate(cells)]


TEXT = pd.DataFrame(
    {
        "code": [f"{i:05d}" for i in range(ROWS)],
        "when": [str(day) for day in DAYS],
        "note": np.where(np.arange(ROWS) % 3 > 0, "stable, see chart", 'said "better"'),
        "smoker": np.where(RNG.random(ROWS) < 0.3, "TRUE", "FALSE"),
        "stage": np.array(["I", "II", "III"])[RNG.integers(0, 3, ROWS)],
        "visits": column(RNG.poisson(7, ROWS) + 2 * (SITE == "north"), "{}"),
        "cost": with_gaps(column(np.exp(Z / 4 + 3), "{:.2f}"), 9, "NA"),
        "fat_percent": column(np.clip(30 + 8 * Z, 0, 100), "{:.1f}"),
        "mass": with_gaps(column(60 + 4 * Z + RNG.normal(size=ROWS), "{:.1f}"), 7),
        "site": SITE,
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kinds")


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz"])
def test_fit_counterfactual_and_report(run, folder, suffix):
    data, model, out = (folder / f"{name}.{suffix}" for name in ("data", "model", "out"))
    TEXT.to_csv(data, index=False, sep="\t" if suffix == "tsv" else ",")
    fit = run("fit", data, "--domain", "site", "--out", model)
    assert fit.code == 0, fit.err
    said = " ".join(fit.err.split())
    assert "missing at random" in said
    assert "carried (no numbers): when, note, smoker, stage" in said
    assert "carried (codes with leading zeros): code" in said
    assert "modelled (within 0 … 100): fat_percent" in said
    assert max(map(len, [line for line in fit.err.splitlines() if "odelled (" in line])) <= 80
    moved = run("counterfactual", model, data, "--to", "south", "--out", out)
    assert moved.code == 0, moved.err
    before, after = (read(path) for path in (data, out))
    assert list(before) == list(after)
    home = before["site"] == "south"
    pd.testing.assert_frame_equal(after[home], before[home])  # to the letter
    carried = ["code", "when", "note", "smoker", "stage"]
    pd.testing.assert_frame_equal(after[carried], before[carried])
    for name, pattern in (("visits", r"\d+"), ("cost", r"NA|\d+\.\d\d"), ("mass", r"|\d+\.\d")):
        assert after[name].str.fullmatch(pattern).all()
    gaps = before["mass"] == ""
    assert gaps.sum() > 20
    assert (after["mass"][gaps] == "").all()
    assert (after["mass"] != before["mass"])[~home & ~gaps].mean() > 0.9
    assert after["fat_percent"].astype(float).between(0, 100).all()


def read(path):
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    sep = "\t" if path.suffix == ".tsv" else ","
    return pd.read_csv(io.BytesIO(text), dtype=str, keep_default_na=False, sep=sep)


def test_the_report(run, folder):
    data, model = folder / "data.csv", folder / "model.csv"
    out = folder / "report.html"
    made = run("report", model, data, "--out", out, "--no-planted")
    assert made.code == 0, made.err
    assert "missing at random" in out.read_text()


def test_gaps_of_text_are_nulls_in_parquet(run, folder):
    out, data = folder / "out.parquet", folder / "data.csv"
    moved = run("counterfactual", folder / "model.csv", data, "--to", "south", "--out", out)
    assert moved.code == 0, moved.err
    before, after = read(data), pq.read_table(out)
    assert after["mass"].null_count == (before["mass"] == "").sum()
    assert after["cost"].null_count == (before["cost"] == "NA").sum()
    home = (before["site"] == "south") & (before["mass"] != "")
    kept = after["mass"].to_pandas()[home]
    np.testing.assert_array_equal(kept, before["mass"][home].astype(float))


def test_gaps_are_filled_if_asked(run, folder):
    out = folder / "filled.csv"
    ask = ("--to", "south", "--out", out, "--fill")
    assert run("counterfactual", folder / "model.csv", folder / "data.csv", *ask).code == 0
    assert read(out)["mass"].str.fullmatch(r"\d+\.\d").all()
    assert read(out)["cost"].str.fullmatch(r"\d+\.\d\d").all()


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_types_survive(run, tmp_path, suffix):
    number = pa.array([None if i % 9 == 0 else float(z) for i, z in enumerate(Z)])
    level = pd.Categorical(TEXT["stage"], ["III", "II", "I"], ordered=True)
    money = [decimal.Decimal(f"{np.exp(z / 4 + 3):.2f}") for z in Z]
    table = pa.table(
        {
            "site": pa.array(pd.Categorical(SITE, ["south", "west", "north"])),
            "when": pa.array(DAYS),
            "day": pa.array(DAYS.date),
            "stage": pa.array(level),
            "smoker": pa.array(TEXT["smoker"] == "TRUE"),
            "cost": pa.array(money, pa.decimal128(9, 2)),
            "visits": pa.array(TEXT["visits"].astype(int), pa.int16()),
            "mass": number.cast(pa.float32()),
            "code": TEXT["code"].tolist(),
        }
    )
    data, model, out = (tmp_path / f"{name}.{suffix}" for name in ("data", "model", "out"))
    write(table, data)
    fit = run("fit", data, "--domain", "site", "--out", model, "--links", "stage=levels")
    assert fit.code == 0, fit.err
    assert run("counterfactual", model, data, "--to", "south", "--out", out).code == 0
    answer = read_arrow(out)
    assert answer.schema == read_arrow(data).schema
    home = pa.array(SITE == "south")
    assert answer.filter(home).equals(read_arrow(data).filter(home))
    for name in ("when", "day", "smoker", "code"):
        assert answer[name].equals(table[name])
    assert answer["mass"].null_count == number.null_count
    assert answer["stage"].combine_chunks().dictionary.to_pylist() == ["III", "II", "I"]
    assert answer["site"].combine_chunks().dictionary.to_pylist() == ["south", "west", "north"]
    assert not answer["cost"].equals(table["cost"])


def write(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def read_arrow(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(str(path)).read_all()


class TestBeforeTheFit:
    def test_a_dry_run_lists_the_columns_and_fits_nothing(self, run, tmp_path):
        wide = pd.DataFrame(RNG.normal(size=(40, 500))).add_prefix("gene_expression_")
        wide.assign(site=["a", "b"] * 20, who="x").to_csv(tmp_path / "d.csv", index=False)
        plan = run("fit", tmp_path / "d.csv", "--domain", "site", "--dry-run", "--json")
        assert plan.code == 0, plan.err
        assert len(json.loads(plan.out)["columns"]) == 500
        assert "500 modelled (unbounded): gene_expression_0" in plan.err
        assert "and 492 more" in " ".join(plan.err.split())
        assert len(plan.err.splitlines()) < 12
        assert list(tmp_path.iterdir()) == [tmp_path / "d.csv"]

    def test_labels_that_differ_by_spaces(self, run, tmp_path):
        TEXT.assign(site=["south ", *SITE[1:]]).to_csv(tmp_path / "d.csv", index=False)
        plan = run("fit", tmp_path / "d.csv", "--domain", "site", "--dry-run")
        assert plan.code == 1
        assert "'south ' and 'south', which differ by spaces alone" in plan.err

    @pytest.mark.parametrize(
        ("pattern", "what"),
        [
            ("{:,.0f}", "thousands separators"),
            ("{:.1f} %", "percent signs"),
            ("${:.2f}", "currency signs"),
            ("{:.1f}", "decimal commas"),
        ],
    )
    def test_numbers_in_another_notation(self, run, tmp_path, pattern, what):
        cells = column(20_000 + 999 * RNG.random(ROWS), pattern)
        cells = [c.replace(".", ",") for c in cells] if what == "decimal commas" else cells
        TEXT.assign(odd=cells).to_csv(tmp_path / "d.csv", index=False)
        plan = run("fit", tmp_path / "d.csv", "--domain", "site", "--dry-run")
        assert plan.code == 1
        assert f"column 'odd' of {tmp_path}/d.csv holds numbers with {what}" in plan.err
        assert "in row 1" in plan.err
