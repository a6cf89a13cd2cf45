"""A signal ends the command with one line, the documented code and no half-written file."""

import os
import signal
import subprocess
import sys
import time

import pytest

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}

# A command that holds a part open, and whose Python comes to see the signal, or never does.
SCRIPT = """
import sys, time
from pathlib import Path
from elsewhere import cli, signals
from elsewhere.files import whole_file
signals.PATIENCE = 0.2

def work(**options):
    with whole_file(Path(sys.argv[1])) as part:
        part.write_bytes(b"half")
        print("ready", flush=True)
        time.sleep(60)

if sys.argv[2] == "native":
    signals._stop = lambda number, frame: None  # as if Python never came to see the signal
cli.app = work
cli.main()
"""


@pytest.mark.parametrize(
    ("number", "where"),  # in native code one thread serves all signals: two of them are enough
    [*((n, "python") for n in CODES), *((n, "native") for n in (signal.SIGTERM, signal.SIGINT))],
)
def test_a_signal_ends_it_all(tmp_path, number, where):
    run = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "a"), where],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    assert run.stdout.readline() == "ready\n"
    time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == 1
    run.send_signal(number)
    _, said = run.communicate(timeout=20)
    assert run.returncode == CODES[number]
    assert said == f"elsewhere: stopped ({number.name}).\n"
    assert not list(tmp_path.iterdir())


# The signal comes while the command is still being imported.
EARLY = """
import os, sys
from elsewhere.__main__ import main

class Early:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            os.kill(os.getpid(), int(sys.argv[1]))

sys.meta_path.insert(0, Early())
main()
"""


@pytest.mark.parametrize("number", CODES)
def test_so_it_does_while_the_command_is_imported(number):
    run = subprocess.run(
        [sys.executable, "-c", EARLY, str(int(number))], capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stderr) == (CODES[number], f"elsewhere: stopped ({number.name}).\n")


# A command that says more than a pipe holds.
TALK = """
import sys
from elsewhere import cli

def talk():
    sys.stdout.write("x\\n" * 10**6)

cli.app.command()(talk)
sys.argv = ["elsewhere", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.parametrize("word", ["--help", "talk"])
def test_a_closed_pipe_is_no_error(word):
    with subprocess.Popen(
        [sys.executable, "-c", TALK, word],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        run.stdout.close()
        assert run.stderr.read() == ""
    assert run.returncode == 0


def test_closed_streams_are_no_error():
    closed = f'exec "{sys.executable}" -m elsewhere --version >&- 2>&-'
    assert subprocess.run(["sh", "-c", closed], check=False).returncode == 0
