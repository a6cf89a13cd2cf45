"""What is asked for, as commands and as Python; and what is kept on disk."""

import ast

import pytest

from elsewhere.app.asked import Asked
from elsewhere.app.store import CANCELLED, RUNNING, MissingError, Store
from elsewhere.cli.options import words

pytestmark = pytest.mark.fast
ASKED = Asked("t", "my data.csv", "site", ("a", "b,c", 'd"e'), ("a",), (), True, False)


def test_the_commands_read_back_what_was_asked(tmp_path):
    commands = ASKED.commands(tmp_path / "my data.csv")
    assert list(commands) == ["fit", "report"]
    fit, report = commands.values()
    assert words(fit[fit.index("--columns") + 1]) == list(ASKED.columns)
    assert words(report[report.index("--invariants") + 1]) == ["a"]
    assert "--no-planted" in report
    assert fit[fit.index("--mixing") + 1] == "moments"


def test_the_python_is_python_and_names_the_columns():
    code = ASKED.python()
    tree = ast.parse(code)
    assigned = {n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign)}
    assert ast.literal_eval(assigned["columns"]) == list(ASKED.columns)
    assert 'mixing="moments"' in code


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
