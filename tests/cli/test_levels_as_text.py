"""A column of named levels in a CSV file, through every command."""

import numpy as np
import pandas as pd
import pytest

LEVELS = ["low", "mid", "high"]


@pytest.fixture
def clinic(tmp_path):
    """Two sites of 60 rows; some grades are missing."""
    rng = np.random.default_rng(0)
    site = np.repeat(["A", "B"], 60)
    z = rng.standard_normal((120, 2)) @ [[1, 0.7], [0, 1]] + 1.5 * (site == "B")[:, None]
    grade = np.array(LEVELS, object)[np.searchsorted([0, 1.2], z[:, 0])]
    grade[::17] = "NA"
    table = pd.DataFrame({"site": site, "grade": grade, "mass": (70 + 5 * z[:, 1]).round(1)})
    table.to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path / "clinic.csv"


def test_every_command_takes_them(run, clinic, tmp_path):
    model, out = tmp_path / "m.model", tmp_path / "b.csv"
    named = f"grade=levels:{':'.join(LEVELS)}"
    fit = run("fit", clinic, "--domain", "site", "--links", named, "--out", model)
    assert fit.code == 0, fit.err
    moved = run("counterfactual", model, clinic, "--to", "B", "--out", out, "--interval", "0.9")
    assert moved.code == 0, moved.err
    before, after = (pd.read_csv(path, keep_default_na=False) for path in (clinic, out))
    assert ((before["grade"] == "NA") == (after["grade"] == "NA")).all()
    for name in ("grade", "grade_low", "grade_high"):
        assert set(after[name]) <= {*LEVELS, "NA", ""}
    assert (after["grade"] != before["grade"]).any()
    page = tmp_path / "r.html"
    made = run("report", model, clinic, "--out", page, "--invariants", "grade")
    assert made.code == 0, made.err
    assert "mid" in page.read_text()
