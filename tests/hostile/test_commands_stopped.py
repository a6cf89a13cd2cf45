"""SIGTERM while `report` or `add-domain` writes: the old file stays, and nothing else is left."""

import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual

OLD = b"old and whole"

# The command itself, held where all is written and nothing has been replaced.
SCRIPT = """
import sys, time
from elsewhere import cli, files

def held(path):
    print("ready", flush=True)
    time.sleep(60)

files._to_disk = held
sys.argv = ["elsewhere", *sys.argv[1:]]
cli.main()
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a model, its table, and a table of a new domain."""
    folder = tmp_path_factory.mktemp("stopped")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((60, 2)), columns=["x", "y"])
    frame = frame.assign(site=np.repeat(["a", "b"], 30))
    frame.to_csv(folder / "d.csv", index=False)
    frame[:20].assign(site="c").to_csv(folder / "new.csv", index=False)
    estimator = DomainCounterfactual(mixing="moments")
    estimator.fit(frame[["x", "y"]], frame["site"]).save(folder / "a.model")
    return folder


@pytest.mark.parametrize(
    "words",
    [["report", "a.model", "d.csv", "--no-planted"], ["add-domain", "a.model", "new.csv"]],
    ids=["report", "add-domain"],
)
def test_nothing_is_half_written(made, words):
    out = made / f"{words[0]}.out"
    out.write_bytes(OLD)
    before = sorted(made.iterdir())
    run = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *words, "--out", out.name, "--force"],
        cwd=made,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout.readline() == "ready\n", run.stderr.read()
    (part,) = {*made.iterdir()} - {*before}
    assert part.stat().st_size > 100
    run.send_signal(signal.SIGTERM)
    _, said = run.communicate(timeout=20)
    assert run.returncode == 128 + signal.SIGTERM
    assert said.endswith("elsewhere: stopped (SIGTERM).\n")
    assert out.read_bytes() == OLD
    assert sorted(made.iterdir()) == before
