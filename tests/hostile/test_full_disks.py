"""A disk that is full after so many bytes: one line, exit code 3, the old file whole, no part."""

import resource
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.report.style import canvas, save

OLD = b"old and whole"
NO_FILE = 3


@contextmanager
def room_for(size):
    """No file grows past so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a table, a table of a new domain, and a model."""
    folder = tmp_path_factory.mktemp("full")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((200, 3)), columns=["x", "y", "z"])
    frame = frame.assign(site=np.repeat(["a", "b"], 100))
    frame.to_csv(folder / "d.csv", index=False)
    frame[:20].assign(site="c").to_csv(folder / "new.csv", index=False)
    estimator = DomainCounterfactual(mixing="moments")
    estimator.fit(frame[["x", "y", "z"]], frame["site"]).save(folder / "a.model")
    return folder


MOVE = ("counterfactual", "a.model", "d.csv", "--to", "b", "--out")
WORDS = {
    "fit": ("fit", "d.csv", "--domain", "site", "--mixing", "moments", "--out", "o.model"),
    "add-domain": ("add-domain", "a.model", "new.csv", "--out", "o.model"),
    **{f"a {form} file": (*MOVE, f"o.{form}") for form in ("csv", "csv.gz", "parquet", "feather")},
}


@pytest.mark.parametrize("size", [0, 1000])
@pytest.mark.parametrize("name", WORDS)
def test_whatever_is_written(run, made, monkeypatch, name, size):
    monkeypatch.chdir(made)
    out = made / WORDS[name][-1]
    out.write_bytes(OLD)
    before = sorted(made.iterdir())
    with room_for(size):
        answer = run(*WORDS[name], "--force")
    assert answer.code == NO_FILE, answer.err
    last = answer.err.splitlines()[-1]
    assert last.startswith(f"elsewhere: {WORDS[name][-1]}: ")
    assert "File too large" in last
    assert "Traceback" not in answer.err
    assert out.read_bytes() == OLD
    assert sorted(made.iterdir()) == before
    out.unlink()


def test_a_picture_is_written_whole_or_not_at_all(tmp_path):
    out = tmp_path / "figure.png"
    out.write_bytes(OLD)
    with canvas(3.0, 2.0) as figure:
        figure.add_subplot().plot([0, 1], [1, 0])
    with room_for(1000), pytest.raises(OSError, match="File too large"):
        save(figure, out)
    assert out.read_bytes() == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["figure.png"]
