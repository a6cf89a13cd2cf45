"""What is asked for, as commands and as Python; and what is kept on disk."""

import ast
from dataclasses import replace

import pytest

from elsewhere.app.asked import Asked
from elsewhere.app.store import CANCELLED, RUNNING, MissingError, Store
from elsewhere.cli.options import words

pytestmark = pytest.mark.fast
ASKED = Asked(
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
