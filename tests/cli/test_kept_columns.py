"""Covariates and rows to learn from, through the command."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from elsewhere.cli import app
from elsewhere.estimators import DomainCounterfactual


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table of two sites with different patients, and a model that keeps age and diagnosis."""
    home, rng = tmp_path_factory.mktemp("kept"), np.random.default_rng(0)
    site = np.repeat(["north", "south"], 80)
    age = np.where(site == "north", 40, 55) + 10 * rng.standard_normal(160)
    ill = rng.random(160) < np.where(site == "north", 0.3, 0.7)
    score = 0.1 * age + 2 * ill + rng.standard_normal(160) + 3 * (site == "south")
    table = pd.DataFrame({"site": site, "age": age.round(1), "ill": ill.astype(int)})
    table = table.assign(diagnosis=np.where(ill, "case", "control"), score=score.round(3))
    table = table.assign(other=rng.standard_normal(160).round(3))
    table.to_csv(home / "patients.csv", index=False)
    asked = ["--keep", "age,diagnosis", "--mixing", "moments"]
    words = ["fit", home / "patients.csv", "--domain", "site", *asked, "--out", home / "kept.model"]
    fitted = CliRunner().invoke(app, [str(word) for word in words])
    assert fitted.exit_code == 0, fitted.output
    return home


def test_kept_columns_are_neither_modelled_nor_changed(run, folder):
    inspected = json.loads(run("inspect", folder / "kept.model", "--json").out)
    assert inspected["kept"] == {"age": "linear", "diagnosis": "2 levels"}
    assert set(inspected["columns"]) == {"score", "other"}
    out = folder / "south.csv"
    asked = ["--to", "south", "--out", out, "--interval", "0.9"]
    assert run("counterfactual", folder / "kept.model", folder / "patients.csv", *asked).code == 0
    before, after = pd.read_csv(folder / "patients.csv", dtype=str), pd.read_csv(out, dtype=str)
    for name in ("age", "diagnosis", "ill"):
        assert after[name].tolist() == before[name].tolist()
    north = before["site"] == "north"
    move = (after["score"].astype(float) - before["score"].astype(float))[north]
    assert 2 < move.mean() < 4


def test_answers_are_those_of_python(run, folder):
    table = pd.read_csv(folder / "patients.csv")
    model = DomainCounterfactual.load(folder / "kept.model")
    expected = model.counterfactual(
        table[["score", "other"]],
        source=table["site"],
        target="south",
        covariates=table[["age", "diagnosis"]],
    )
    out = folder / "same.csv"
    run(
        "counterfactual",
        folder / "kept.model",
        folder / "patients.csv",
        "--to",
        "south",
        "--out",
        out,
    )
    written = pd.read_csv(out)[["score", "other"]]  # with the three decimals of the table
    np.testing.assert_allclose(written, expected, atol=5.1e-4)


def test_trust_says_how_far_site_and_patients_can_be_told_apart(run, folder):
    data, asked = folder / "patients.csv", ["--no-planted", "--json"]
    found = json.loads(run("evaluate", folder / "kept.model", data, *asked).out)
    verdict = found["verdicts"]["confounding"]
    assert verdict["words"].startswith("For south → north, 28 % of the rows have covariates unlike")
    assert "times as uncertain" in verdict["measure"]
    assert "fine up to 2, poor from 5" in verdict["measure"]
    assert {pair["source"] for pair in found["confounding"]["pairs"]} == {"north", "south"}


def test_a_table_without_the_kept_column_is_refused(run, folder):
    pd.read_csv(folder / "patients.csv").drop(columns="age").to_csv(folder / "no.csv", index=False)
    asked = ["--to", "south", "--out", folder / "x.csv"]
    answer = run("counterfactual", folder / "kept.model", folder / "no.csv", *asked)
    assert answer.code == 1
    assert "has no column ['age']" in answer.err


def test_learning_on_some_rows(run, folder):
    asked = ["--domain", "site", "--mixing", "moments", "--json", "--learn-on"]
    data = folder / "patients.csv"
    summary = run(
        "fit", data, *asked, 'diagnosis == "control"', "--keep", "age", "--out", folder / "c.model"
    )
    assert summary.code == 0, summary.err
    table = pd.read_csv(data)
    some = table[table["diagnosis"] == "control"]
    model = DomainCounterfactual.load(folder / "c.model")
    alone = DomainCounterfactual(mixing="moments").fit(
        some[["score", "other"]], some["site"], covariates=some[["age"]]
    )
    asked = {"source": "north", "target": "south", "covariates": table[["age"]]}
    np.testing.assert_allclose(
        model.counterfactual(table[["score", "other"]], **asked),
        alone.counterfactual(table[["score", "other"]], **asked),
        atol=0.05,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--keep", "site"], "--keep must not name"),
        (["--keep", "weight"], "has no column"),
        (["--learn-on", "age =< 3"], "a condition must be like"),
        (["--learn-on", "age > 300"], "no row of"),
        (["--keep", "site_copy"], "cannot be separated"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, folder, words, message):
    table = pd.read_csv(folder / "patients.csv")
    table.assign(site_copy=table["site"]).to_csv(folder / "copy.csv", index=False)
    out = ["--mixing", "moments", "--out", folder / "no.model"]
    answer = run("fit", folder / "copy.csv", "--domain", "site", *words, *out)
    assert answer.code == 1
    assert message in " ".join(answer.err.split())
    assert not (folder / "no.model").exists()


@pytest.fixture(scope="module")
def pairs(folder):
    """Twenty patients seen at both sites, with the age and diagnosis of each."""
    rng, n = np.random.default_rng(1), 20
    age, ill = 10 * rng.standard_normal(n) + 50, rng.random(n) < 0.5
    own = rng.standard_normal((n, 2))
    table = pd.DataFrame({"pair": [f"p{i}" for i in range(n)], "age": age.round(1)})
    table["diagnosis"] = np.where(ill, "case", "control")
    north = table.assign(site="north", score=0.1 * age + 2 * ill + own[:, 0], other=own[:, 1])
    south = north.assign(site="south", score=north["score"] + 3)
    both = pd.concat([north, south])
    both.to_csv(folder / "pairs.csv", index=False)
    return both


def test_pairs_have_the_kept_columns(run, folder, pairs):
    data, model = folder / "patients.csv", folder / "paired.model"
    asked = ("--domain", "site", "--keep", "age,diagnosis", "--mixing", "moments")
    fit = run("fit", data, *asked, "--pairs", folder / "pairs.csv", "--out", model)
    assert fit.code == 0, fit.err
    out = folder / "paired.csv"
    assert run("counterfactual", model, data, "--to", "south", "--out", out).code == 0
    before, after = pd.read_csv(data), pd.read_csv(out)
    move = (after["score"] - before["score"])[before["site"] == "north"]
    assert abs(move.mean() - 3) < 0.1  # without pairs some 0.3 off
    asked = ("--to", "south", "--interval", "0.9", "--pairs", folder / "pairs.csv")
    calibrated = run("counterfactual", folder / "kept.model", data, *asked, "--out", out, "--force")
    assert calibrated.code == 0, calibrated.err
    found = pd.read_csv(out)
    assert (found["score_high"] >= found["score_low"]).all()


def test_a_pair_with_two_ages_is_named(run, folder, pairs):
    wrong = pairs.copy()
    wrong.iloc[3, wrong.columns.get_loc("age")] += 1
    wrong.to_csv(folder / "wrong.csv", index=False)
    asked = ("--domain", "site", "--keep", "age", "--pairs", folder / "wrong.csv")
    found = run("fit", folder / "patients.csv", *asked, "--out", folder / "none.model")
    assert found.code == 1
    assert "has pair 'p3' with age" in found.err
    without = pairs.drop(columns="age")
    without.to_csv(folder / "without.csv", index=False)
    asked = ("--domain", "site", "--keep", "age", "--pairs", folder / "without.csv")
    found = run("fit", folder / "patients.csv", *asked, "--out", folder / "none.model")
    assert found.code == 1
    assert "age" in found.err


def test_a_diagnosis_that_was_not_kept_is_named(run, folder):
    asked = ["--domain", "site", "--columns", "score,other", "--mixing", "moments"]
    plain = folder / "plain.model"
    fitted = run("fit", folder / "patients.csv", *asked, "--out", plain)
    assert "not kept, but unlike between values of site" in " ".join(fitted.err.split())
    judged = run("evaluate", plain, folder / "patients.csv", "--no-planted", "--json").out
    found = json.loads(judged)["case_mix"]
    assert {one["name"] for one in found["columns"]} >= {"diagnosis", "ill"}
    assert found["columns"][0]["share"] > 0.2
    kept = run("evaluate", folder / "kept.model", folder / "patients.csv", "--no-planted", "--json")
    assert json.loads(kept.out)["case_mix"]["verdict"]["level"] == "good"


def test_what_was_not_learnt_from_is_not_named(run, folder):
    asked = ["--domain", "site", "--columns", "score,other", "--mixing", "moments"]
    asked += ["--learn-on", 'diagnosis == "control"', "--out", folder / "controls.model"]
    said = " ".join(run("fit", folder / "patients.csv", *asked).err.split())
    assert "controls.model: 160 rows" in said
    assert "diagnosis (" not in said


def test_a_participants_table_as_bids_has_it(run, folder):
    table = pd.read_csv(folder / "patients.csv", dtype=str)
    table.loc[[3, 90], ["diagnosis", "score"]] = "n/a"
    table.insert(0, "participant_id", [f"sub-{i:03}" for i in range(len(table))])
    data, model, out = (folder / name for name in ("scans.tsv", "scans.model", "north.tsv"))
    table.to_csv(data, sep="\t", index=False)
    asked = ["--domain", "site", "--keep", "age,diagnosis", "--mixing", "moments"]
    fitted = run("fit", data, *asked, "--out", model)
    assert fitted.code == 0, fitted.err
    assert "kept (2 levels, and missing): diagnosis" in " ".join(fitted.err.split())
    assert run("counterfactual", model, data, "--to", "north", "--out", out).code == 0
    after = pd.read_csv(out, sep="\t", dtype=str, keep_default_na=False)
    same = ["participant_id", "age", "ill", "diagnosis"]
    pd.testing.assert_frame_equal(after[same], table[same])
    assert ((after["score"] == "n/a") == (table["score"] == "n/a")).all()


def test_missing_drop_leaves_out_rows_without_a_covariate(run, folder):
    table = pd.read_csv(folder / "patients.csv", dtype=str)
    table.loc[[3, 90], "age"] = ""
    table.to_csv(folder / "ages.csv", index=False)
    asked = ["--domain", "site", "--keep", "age", "--mixing", "moments", "--force"]
    asked += ["--out", folder / "ages.model"]
    refused = run("fit", folder / "ages.csv", *asked)
    assert refused.code == 1
    assert "'age' must not be missing or infinite; row 4 has nan" in refused.err
    fitted = run("fit", folder / "ages.csv", *asked, "--missing", "drop")
    assert "158 rows of 2 domains" in " ".join(fitted.err.split())
