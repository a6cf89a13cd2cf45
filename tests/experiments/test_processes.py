"""Several tasks at once, each on a core of its own."""

import os
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

    def run(self):
        self.path.write_text("done")
        return self.path.name


PARENT = """
import os, sys, time
from dataclasses import dataclass
from pathlib import Path
from elsewhere.experiments.processes import run_all

@dataclass(frozen=True)
class SayAndWait:
    folder: Path

    def run(self):
        (self.folder / str(os.getpid())).touch()
        time.sleep(600)

if __name__ == "__main__":
    run_all([SayAndWait(Path(sys.argv[1]))] * 2, 2)
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


def test_nothing_to_do_is_done_in_silence(capsys):
    run_all([], 2)
    assert capsys.readouterr().err == ""


def test_workers_end_with_their_parent(tmp_path):
    script, said = tmp_path / "parent.py", tmp_path / "said"
    script.write_text(PARENT)
    said.mkdir()
    parent = subprocess.Popen([sys.executable, script, said])
    workers = _until(lambda: [int(path.name) for path in said.iterdir()], 2)
    assert len(workers) == 2
    parent.terminate()
    parent.wait()
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
