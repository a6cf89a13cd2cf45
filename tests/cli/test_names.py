"""Names with units, markup and control characters, from a CSV to every place that shows them."""

import subprocess
import sys

import pytest

import elsewhere
from elsewhere import DomainCounterfactual
from table_data import SMALL, table

UNITS = {"mass": "WBC [/nL]", "count": "conc [mg/L]", "level": "price $_{$"}
NASTY = '<span class="badge"><script>alert(1)</script>'


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """(model, table) whose columns have units and one of whose domains is called like markup."""
    names = list(UNITS.values())
    frame = table()[["site", *UNITS]].rename(columns=UNITS)
    frame["site"] = frame["site"].replace("north", NASTY)
    folder = tmp_path_factory.mktemp("named")
    frame.to_csv(folder / "data.csv", index=False)
    X, domains = frame.drop(columns="site"), frame["site"]
    estimator = DomainCounterfactual(k=1, mixing="linear", options=SMALL).fit(X, domains)
    return estimator.save(folder / "a.model"), folder / "data.csv", names


def test_inspect_shows_them_whole(run, named, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    answer = run("inspect", named[0])
    assert answer.code == 0, answer.err
    assert all(name in answer.out for name in named[2])
    assert NASTY in answer.out


def test_so_does_evaluate(run, named, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    column = named[2][0]
    answer = run("evaluate", *named[:2], "--no-planted", "--invariants", column)
    assert answer.code == 0, answer.err
    assert column in answer.out


def test_a_report_of_them_is_written_and_escaped(run, named, tmp_path):
    out = tmp_path / "r.html"
    answer = run("report", *named[:2], "--no-planted", "--out", out)
    assert answer.code == 0, answer.err
    text = out.read_text()
    assert text.count("<script") == 3  # two blocks of data, and the page's own
    assert NASTY not in text
    assert "price $_{$" in text


def test_an_error_cannot_steer_the_terminal(run, named, tmp_path):
    answer = run("counterfactual", *named[:2], "--to", "\x1b[2J", "--out", tmp_path / "a.csv")
    assert answer.code == 1
    assert "\x1b" not in answer.err
    assert "\\x1b[2J" in answer.err


def test_the_version_is_the_packages():
    command = [sys.executable, "-m", "elsewhere", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"elsewhere {elsewhere.__version__}\n"
