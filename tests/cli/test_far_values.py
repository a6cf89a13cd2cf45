"""Values that count as less than they are: the question that holds them says so."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def folder(run, tmp_path):
    """Two sites that differ in x, one of whose values is a slip of the comma; and a model."""
    rng = np.random.default_rng(0)
    site = np.repeat(["a", "b"], 200)
    x, y = rng.normal([[10], [5]], 1, (2, 400))
    table = pd.DataFrame({"site": site, "x": x + (site == "b"), "y": y})
    table.loc[7, "x"] = 1040.0
    table.to_csv(tmp_path / "data.csv", index=False)
    words = ["--domain", "site", "--mixing", "moments", "--out", tmp_path / "m.model"]
    assert run("fit", tmp_path / "data.csv", *words).code == 0
    return tmp_path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_value_too_far_out_is_named_by_its_row(run, folder, suffix):
    asked = pd.DataFrame({"site": ["a", "a", "b"], "x": [11.0, 300.0, 250.0], "y": 5.0})
    data, out = folder / f"asked.{suffix}", folder / f"moved.{suffix}"
    asked.to_csv(data, index=False) if suffix == "csv" else asked.to_parquet(data)
    said = run("counterfactual", folder / "m.model", data, "--to", "b", "--out", out)
    assert said.code == 0
    notes = [line for line in said.err.splitlines() if line.startswith("note:")]
    assert len(notes) == 1
    assert "column 'x' holds 300 in row 2, and 1 more" in notes[0]


def test_usual_values_are_not(run, folder):
    words = ["--to", "b", "--out", folder / "moved.csv", "--json"]
    pd.DataFrame({"site": ["a"], "x": [11.0], "y": [5.0]}).to_csv(folder / "q.csv", index=False)
    said = run("counterfactual", folder / "m.model", folder / "q.csv", *words)
    assert json.loads(said.out)["notes"] == []
