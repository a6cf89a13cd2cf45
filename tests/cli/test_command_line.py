import os
import subprocess
import sys
from pathlib import Path

import pytest

from elsewhere import cli


def test_help_names_the_commands_without_loading_jax(run):
    code = "import sys; import elsewhere.cli; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    answer = run("--help")
    assert answer.code == 0
    for name in ("fit", "counterfactual", "evaluate", "report", "inspect", "demo", "reproduce"):
        assert name in answer.out
    assert "Exit codes: 0 success" in " ".join(answer.out.split())
    assert "..." not in answer.out.partition("Commands:")[2]  # every sentence is whole


def test_commands_do_not_ask_what_they_are_given():
    """Kinds of data, targets and covariates answer for themselves."""
    sources = sorted(Path(cli.__file__).parent.glob("*.py"))
    assert len(sources) > 20
    assert [path.name for path in sources if "isinstance" in path.read_text()] == []


def test_the_list_of_commands_loads_nothing_that_draws_boxes():
    """Nothing but what typer loads by itself, which is much in its older versions."""
    code = (
        "import sys; import typer; known = set(sys.modules)\n"
        "from elsewhere.cli import main; sys.argv = ['elsewhere', '--help']\n"
        "try: main()\n"
        "except SystemExit: new = set(sys.modules) - known\n"
        "print(sorted(new & {'rich', 'importlib.metadata'}))"
    )
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert answer.stdout.endswith("[]\n")


def test_the_module_is_the_command_and_writes_errors_to_stderr():
    command = [sys.executable, "-m", "elsewhere", "inspect", "none"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (answer.returncode, answer.stdout) == (3, "")
    assert answer.stderr == "elsewhere: none: No such file or directory\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reproduce", "S99"], "experiment must be one of S1"),
        (["reproduce", "S1", "--seeds", "a"], "--seeds must be a number or a range"),
        (["reproduce", "S1", "--seeds", "9-3"], "--seeds must name at least one seed"),
        (["reproduce", "S1", "--seeds", "0"], "--seeds must name at least one seed"),
        (["reproduce", "S1", "--data", "both?"], "--data must be one of sparse, printed, both"),
        (["demo", "--out", "/proc/nowhere"], "/proc/nowhere"),
    ],
)
def test_a_mistake_is_one_line_on_stderr(run, arguments, message):
    answer = run(*arguments)
    assert answer.code == (3 if arguments[0] == "demo" else 1)
    assert answer.err.startswith("elsewhere: ")
    assert message in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_shell_that_asks_how_a_line_may_go_on_is_not_greeted():
    code = "import sys; sys.argv = ['elsewhere']; from elsewhere.cli import main; main()"
    asked = {
        "_ELSEWHERE_COMPLETE": "complete_bash",
        "COMP_WORDS": "elsewhere fi",
        "COMP_CWORD": "1",
    }
    command, env = [sys.executable, "-c", code], os.environ | asked
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert answer.stdout.split() == ["fit"]
