"""Sums that hold in every row hold in every answer, in Python, in files and in the command."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from commands import caller
from elsewhere import DomainCounterfactual
from elsewhere.estimators.table_file import describe, restore

RNG = np.random.default_rng(0)
N = 120
SITE = np.repeat(["a", "b"], N // 2)
X = pd.DataFrame(
    {
        "drug": np.round(np.exp(RNG.normal(1, 0.3, N) + (SITE == "b")), 2),
        "care": np.round(RNG.normal(50, 4, N), 1),
        "men": RNG.poisson(30, N) + 9 * (SITE == "b"),
        "women": RNG.poisson(30, N),
    }
)
X["cost"] = X["drug"] + X["care"]
X["people"] = X["men"] + X["women"]
SUMS = {"cost": ["drug", "care"], "people": ["men", "women"]}


@pytest.fixture(scope="module")
def model():
    return DomainCounterfactual(mixing="moments", sums=SUMS).fit(X, SITE)


def test_totals_are_the_sums_of_their_parts_and_keep_their_types(model):
    answer = model.counterfactual(X, SITE, "b")
    assert (answer["cost"] == answer["drug"] + answer["care"]).all()
    assert (answer["people"] == answer["men"] + answer["women"]).all()
    assert list(answer.dtypes) == list(X.dtypes)
    assert (answer["people"] - X["people"])[SITE == "a"].mean() > 5
    pd.testing.assert_frame_equal(answer[SITE == "b"], X[SITE == "b"])
    assert "cost" not in model.links_
    low, high = model.interval(X, source=SITE, target="b")
    assert (low["cost"] <= answer["cost"]).all()
    assert (answer["cost"] <= high["cost"]).all()


def test_gaps_in_a_sum_leave_the_total_empty_unless_filled(model):
    holes = X.astype(float)
    holes.loc[0, "drug"] = holes.loc[1, "cost"] = np.nan
    answer = model.counterfactual(holes, SITE, "b")
    assert answer.loc[[0, 1], "cost"].isna().all()
    assert answer["cost"].notna().sum() == N - 2
    filled = model.counterfactual(holes, SITE, "b", fill=True)
    assert (filled["cost"] == filled["drug"] + filled["care"]).all()


def test_a_sum_that_does_not_hold_names_its_first_row():
    wrong = X.copy()
    wrong.loc[[7, 9], "people"] += 1
    with pytest.raises(ValueError, match=r"row 7, column 'people'.*2 such rows"):
        DomainCounterfactual(sums=SUMS).fit(wrong, SITE)


@pytest.mark.parametrize(
    ("sums", "words"),
    [
        ({"cost": ["drug", "none"]}, "columns of X"),
        ({"cost": ["drug", "drug"]}, "different parts"),
        ({"cost": ["drug", "care"], "people": ["cost"]}, "totals as parts"),
        ([1], "mapping"),
    ],
)
def test_sums_that_make_no_sense_are_refused(sums, words):
    with pytest.raises(ValueError, match=words):
        DomainCounterfactual(sums=sums).fit(X, SITE)


def test_a_saved_model_keeps_its_sums_and_the_arrow_mover_too(model, tmp_path):
    again = DomainCounterfactual.load(model.save(tmp_path / "a.model"))
    assert again.sums == SUMS
    expected = model.counterfactual(X, SITE, "b")
    pd.testing.assert_frame_equal(again.counterfactual(X, SITE, "b"), expected)
    batch = pa.RecordBatch.from_pandas(X[SITE == "a"], preserve_index=False)
    moved = again.mover("b", "a")(batch).to_pandas()
    assert (moved["people"] == moved["men"] + moved["women"]).all()


def in_file(estimator):
    header, arrays = describe(estimator)
    return json.loads(json.dumps(header)), arrays


def test_a_file_without_sums_loads_and_one_with_bad_ones_is_refused(model):
    header, arrays = in_file(DomainCounterfactual(mixing="moments").fit(X, SITE))
    del header["columns"]["sums"]
    assert restore(header, arrays)[0]["sums"] is None
    for sums in ([["cost", ["drug", "x"]]], [["cost", "drug"]], [["cost", []]], [[1]], "cost"):
        header, arrays = in_file(model)
        header["columns"]["sums"] = sums
        with pytest.raises(ValueError, match="sums|columns and links"):
            restore(header, arrays)


def test_the_command_takes_sums_and_what_it_writes_adds_up(tmp_path, monkeypatch, capsys):
    run = caller(monkeypatch, capsys)
    table, made, out = (tmp_path / name for name in ("a.csv", "a.model", "out.csv"))
    X.round(2).assign(site=SITE).to_csv(table, index=False)
    sums = ["--sum", "cost = drug + care", "--sum", "people=men+women"]
    fit = ["fit", table, "--domain", "site", "--mixing", "moments", *sums]
    planned = json.loads(run(*fit, "--dry-run", "--json").out)
    assert planned["columns"]["cost"] == "the sum of drug + care"
    assert run(*fit, "--out", made).code == 0
    asked = ("counterfactual", made, table, "--to", "b", "--out", out, "--interval", "0.9")
    assert run(*asked).code == 0
    cells = pd.read_csv(out, dtype=str)
    for end in ("", "_low", "_high"):
        cents = {n: (cells[n + end].astype(float) * 100).round() for n in ("cost", "drug", "care")}
        assert (cents["cost"] == cents["drug"] + cents["care"]).all()
    people = cells[["people", "men", "women"]].astype(int)
    assert (people["people"] == people["men"] + people["women"]).all()
    wrong = run("fit", table, "--domain", "site", "--sum", "cost", "--out", tmp_path / "b")
    assert wrong.code != 0
    assert "--sum must be like" in wrong.err
