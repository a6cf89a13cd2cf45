"""Several tasks at once, each on a core of its own."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from elsewhere.experiments.processes import each_done, run_all


@dataclass(frozen=True)
class WhichCores:
    """A task that says on which cores it may run."""

    def run(self):
        return sorted(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Write:
    """A task that writes a file."""

    path: Path
    after: float = 0.0

    def run(self):
        time.sleep(self.after)
        self.path.write_text("done")
        return self.path.name


PARENT = """
import os, signal, sys, time
from dataclasses import dataclass
from pathlib import Path
from elsewhere.experiments.processes import run_all

@dataclass(frozen=True)
class SayAndWait:
    folder: Path

    def run(self):
        (self.folder / str(os.getpid())).touch()
        time.sleep(600)

def leave(number, frame):
    raise SystemExit(7)

if __name__ == "__main__":
    if sys.argv[2] == "said":
        signal.signal(signal.SIGTERM, leave)
    run_all([SayAndWait(Path(sys.argv[1]))] * 4, 2)
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_each_of_several_jobs_keeps_to_a_core():
    mine = os.sched_getaffinity(0)
    told = list(each_done([WhichCores()] * 6, 2))
    assert {len(cores) for cores in told} == {1}
    assert {core for (core,) in told} <= mine
    assert os.sched_getaffinity(0) == mine


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_task_is_run_and_named(tmp_path, capsys, jobs):
    run_all([Write(tmp_path / name) for name in "abc"], jobs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]
    assert "3/3" in capsys.readouterr().err


@dataclass(frozen=True)
class Fail:
    """A task with a mistake in it."""

    def run(self):
        raise ValueError("no such thing")


def test_a_task_that_fails_stops_the_others(tmp_path):
    tasks = [Fail(), *(Write(tmp_path / str(i), after=30) for i in range(4))]
    with pytest.raises(ValueError, match="no such thing"):
        run_all(tasks, 2)
    assert not list(tmp_path.iterdir())


def test_nothing_to_do_is_done_in_silence(capsys):
    run_all([], 2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("how", "code"), [("said", 7), ("unsaid", -signal.SIGTERM)])
def test_workers_end_with_their_parent(tmp_path, how, code):
    """The command turns the signal into an exception; without that, a parent is just gone."""
    script, said = tmp_path / "parent.py", tmp_path / "said"
    script.write_text(PARENT)
    said.mkdir()
    parent = subprocess.Popen([sys.executable, script, said, how])
    workers = _until(lambda: [int(path.name) for path in said.iterdir()], 2)
    assert len(workers) == 2
    parent.terminate()
    assert parent.wait(timeout=60) == code
    assert _until(lambda: [w for w in workers if not _runs(w)], 2) == workers


def _until(found, count, seconds=60):
    """What is found, once it is so many; what there is when time is up."""
    end = time.monotonic() + seconds
    while len(found()) < count and time.monotonic() < end:
        time.sleep(0.05)
    return found()


def _runs(process):
    """Whether it is there, and not only waiting to be reaped."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    )
    return state.stdout.strip()[:1] not in ("", "Z")
