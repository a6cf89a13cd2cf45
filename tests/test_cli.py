import subprocess
import sys

import pytest


def run(*arguments):
    command = [sys.executable, "-c", "from elsewhere.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_help_names_the_commands_without_loading_jax():
    code = "import sys; import elsewhere.cli; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    answer = run("--help")
    assert answer.returncode == 0
    assert "demo" in answer.stdout
    assert "reproduce" in answer.stdout


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
def test_a_mistake_is_one_line_on_stderr(arguments, message):
    answer = run(*arguments)
    assert answer.returncode == 1
    assert answer.stderr.startswith("elsewhere: ")
    assert message in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
