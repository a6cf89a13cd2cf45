"""What is asked for, as commands and as Python; and what is kept on disk."""

import ast
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from elsewhere.app.example import example_table
from elsewhere.app.fit_pages import _without_tests, said
from elsewhere.app.fit_request import FitRequest
from elsewhere.app.image_fit_request import ImageFitRequest
from elsewhere.app.store import CANCELLED, RUNNING, MissingError, Store
from elsewhere.cli.options import words

pytestmark = pytest.mark.fast
ASKED = FitRequest(
    "t", "my data.csv", "site", ("a", "b,c", 'd"e'), ("z",), ("a",), drop=True, planted=False
)


def test_the_commands_read_back_what_was_asked(tmp_path):
    commands = ASKED.commands(tmp_path / "my data.csv")
    assert list(commands) == ["fit", "report"]
    fit, report = commands.values()
    assert words(fit[fit.index("--columns") + 1]) == list(ASKED.columns)
    assert words(report[report.index("--invariants") + 1]) == ["a"]
    assert "--no-planted" in report
    assert fit[fit.index("--mixing") + 1] == "moments"


def test_the_python_is_python_and_names_the_columns():
    code = ASKED.python("north")
    tree = ast.parse(code)
    assigned = {n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign)}
    assert ast.literal_eval(assigned["columns"]) == list(ASKED.columns)
    assert 'mixing="moments"' in code
    assert "target='north'" in code


def test_columns_are_named_only_where_some_are_left_out(tmp_path):
    every = replace(ASKED, left_out=(), columns=tuple(f"c{i}" for i in range(20_000)))
    assert "--columns" not in every.commands(tmp_path / "d.csv")["fit"]


def test_the_question_is_a_command():
    told = ASKED.question("north", interval=True)
    assert told == [
        *("counterfactual", "model.elsewhere", "my data.csv", "--to", "north"),
        *("--out", "answers.csv", "--interval", "0.9"),
    ]


def test_state_is_on_disk_and_survives_the_app(tmp_path):
    store = Store(tmp_path)
    fit = store.new("fits", {"status": RUNNING, "asked": {}})
    store.change("fits", fit, fraction=0.5)
    again = Store(tmp_path)
    assert again.about("fits", fit)["status"] == CANCELLED
    assert again.about("fits", fit)["fraction"] == 0.5
    again.remove("fits", fit)
    assert again.all("fits") == []


@pytest.mark.parametrize("name", ["../x", "0123456789ab", "", "0123456789AB", "0123456789abc"])
def test_names_are_no_paths(tmp_path, name):
    with pytest.raises(MissingError):
        Store(tmp_path).place("fits", name)


def test_the_time_left_is_counted_down_between_lines_of_progress(monkeypatch):
    about = {"fraction": 0.4, "until": 1_000.0, "text": "checking: Do moved rows look real?"}
    for now, left in ((880.0, "about 2 min"), (970.0, "about 30 s"), (1_010.0, "a few seconds")):
        monkeypatch.setattr("elsewhere.app.fit_pages.time.time", lambda now=now: now)
        assert said(about) == f"40 %, {left} left (checking: Do moved rows look real?)"


def test_every_command_has_its_share_of_the_time(tmp_path):
    for asked in (ASKED, replace(ASKED, thorough=True), ImageFitRequest("f", "scans", 16, 300)):
        ends = [asked.shares[word] for word in asked.commands(tmp_path / "d")]
        flat = [end for pair in ends for end in pair]
        assert flat == sorted(flat)
        assert flat[0] > 0
        assert flat[-1] == 1


def test_what_differs_is_told_without_tests():
    words = "The domains differ by an offset in 1 column (p < 0.002); nothing richer is supported."
    assert _without_tests(words) == "The domains differ by an offset in 1 column."


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.csv.gz", "d.tsv.gz", "d.parquet", "d.pq"])
def test_the_python_reads_every_format(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame({"a": [1.5, 2.5], "b,c": ["x", "y"]})
    tabs = {"sep": "\t"} if ".tsv" in name else {}
    (table.to_parquet if "p" in name else table.to_csv)(name, index=False, **tabs)
    line = replace(ASKED, file=name, drop=False).python("north").splitlines()[3]
    assert eval(line.removeprefix("data = "), {"pd": pd}).equals(table)


@pytest.mark.parametrize("name", ["d.feather", "d.arrow"])
def test_feather_is_read_as_feather(name):
    code = replace(ASKED, file=name, drop=False).python("north")
    assert f"data = pd.read_feather({name!r})" in code


def test_a_folder_may_be_named_from_where_one_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(Path("kept"))
    place = store.place("tables", store.new("tables", {}))
    assert place.is_absolute()
    assert place.is_relative_to(tmp_path.resolve())


def test_the_example_is_the_one_that_scikit_learn_has():
    frame = load_breast_cancer(as_frame=True).frame
    ours = example_table()
    kept = ["mean radius", "mean smoothness", "mean symmetry"]
    pd.testing.assert_frame_equal(ours[kept], frame[kept])
    a = ours["scanner"] == "A"
    assert (ours["mean texture"][a] == frame["mean texture"][a].round(2)).all()
    assert ours["scanner"].value_counts().to_dict() == {"A": 285, "B": 284}
