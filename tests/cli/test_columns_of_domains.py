"""--domain site,scanner: from a file with two columns of domains and back to one."""

import io

import numpy as np
import pandas as pd
import pytest

SITES, SCANNERS = {"A": 0.0, "B": 2.0, "C": -1.0}, {"01": 0.0, "02": 1.5}


@pytest.fixture
def crossed(tmp_path):
    """A CSV file of five of six combinations; scanners have leading zeros."""
    rng = np.random.default_rng(0)
    seen = [(s, k) for s in SITES for k in SCANNERS if (s, k) != ("C", "02")]
    rows = pd.DataFrame([one for one in seen for _ in range(40)], columns=["site", "scanner"])
    rows["who"] = [f"p{i}" for i in range(len(rows))]
    shift = rows["site"].map(SITES) + rows["scanner"].map(SCANNERS)
    rows["a"] = (rng.normal(size=len(rows)) + shift).round(3)
    rows["b"] = rng.normal(size=len(rows)).round(2)
    path = tmp_path / "crossed.csv"
    rows.to_csv(path, index=False)
    return path


def read(text):
    return pd.read_csv(io.StringIO(text), dtype=str)


def test_two_columns_of_domains_from_fit_to_answers(run, crossed, tmp_path):
    model, before = tmp_path / "a.model", read(crossed.read_text())
    fitted = run("fit", crossed, "--domain", "site,scanner", "--out", model)
    assert fitted.code == 0
    assert "C × 02" in fitted.err
    assert "2 modelled" in fitted.err
    ask = ("counterfactual", model, crossed, "--out", "-", "--to")

    unseen = read(run(*ask, "site=C,scanner=02").out)
    assert list(unseen) == list(before)
    assert (unseen["who"] == before["who"]).all()
    assert {*unseen["site"]} == {"C"}
    assert {*unseen["scanner"]} == {"02"}
    pd.testing.assert_frame_equal(read(run(*ask, "C × 02").out), unseen)
    ones = unseen["a"].astype(float)[before["site"] + before["scanner"] == "A01"]
    assert abs(ones.mean() - 0.5) < 0.6

    partly = read(run(*ask, "scanner=01").out)
    assert (partly["site"] == before["site"]).all()
    assert {*partly["scanner"]} == {"01"}
    stays = before["scanner"] == "01"
    pd.testing.assert_frame_equal(partly[stays], before[stays])

    every = read(run(*ask, "all").out)
    assert len(every) == 5 * len(before)
    assert list(every)[-2:] == ["site_from", "scanner_from"]

    new = tmp_path / "new.csv"
    new.write_text("site,scanner,who,a,b\nC,02,q,0.5,0.1\n")
    back = read(run("counterfactual", model, new, "--to", "site=A,scanner=01", "--out", "-").out)
    assert abs(float(back["a"][0])) < 0.6
    assert back["scanner"][0] == "01"

    assert "site must be one of" in run(*ask, "site=Z,scanner=01").err
    assert run("counterfactual", model, new, "--to", "foo", "--out", "-").code != 0


@pytest.mark.fast
def test_a_column_that_is_not_there_is_named(run, crossed, tmp_path):
    said = run("fit", crossed, "--domain", "site,year", "--out", tmp_path / "a.model")
    assert said.code != 0
    assert "['year']" in said.err
    said = run("fit", crossed, "--domain", "site,scanner", "--keep", "site", "--dry-run")
    assert said.code != 0
    assert "--keep must not name ['site']" in said.err
