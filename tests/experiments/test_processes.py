"""Several tasks at once, each on a core of its own."""

import os
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
