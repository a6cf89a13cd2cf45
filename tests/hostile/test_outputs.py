"""Outputs are checked before the work starts and again before they replace anything."""

import os
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elsewhere.cli.options import check_free
from elsewhere.estimators import DomainCounterfactual
from elsewhere.files import never_replace, write_whole

BAD, NO_FILE = 1, 3


@pytest.fixture
def data(tmp_path):
    """A small table as a CSV file."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame.assign(site=["north", "south"] * 20).to_csv(tmp_path / "d.csv", index=False)
    return tmp_path / "d.csv"


@pytest.fixture
def model(tmp_path, data):
    """A model of it."""
    frame = pd.read_csv(data)
    est = DomainCounterfactual(mixing="moments").fit(frame[["a", "b"]], frame["site"])
    return est.save(tmp_path / "a.model")


@pytest.fixture
def no_work(monkeypatch):
    """Whoever reads data or a model has started to work."""

    def work(*_):
        raise AssertionError("the work has started")

    monkeypatch.setattr("elsewhere.cli.fit.kind_called", work)
    monkeypatch.setattr("elsewhere.cli.report.open_model", work)
    monkeypatch.setattr("elsewhere.cli.counterfactual.open_model", work)


def fit(data, out):
    return "fit", data, "--domain", "site", "--out", out


def report(model, data, out):
    return "report", model, data, "--out", out


def move(model, data, out):
    return "counterfactual", model, data, "--to", "north", "--out", out


def refused(answer, code, message):
    assert (answer.code, len(answer.err.splitlines())) == (code, 1), answer
    assert message in answer.err


def test_a_directory(run, data, model, tmp_path, no_work):
    for arguments in (fit(data, tmp_path), report(model, data, tmp_path)):
        refused(run(*arguments, "--force"), NO_FILE, "is a directory")


def test_below_a_file(run, data, model, no_work):
    for arguments in (fit(data, data / "x"), report(model, data, data / "x")):
        refused(run(*arguments), NO_FILE, "is not a directory")


def test_a_dash_is_no_file(run, data, model, tmp_path, no_work, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for arguments in (fit(data, "-"), report(model, data, "-")):
        refused(run(*arguments), BAD, "--out must be the name of a file; got -")
    assert not (tmp_path / "-").exists()


def test_links_that_loop(run, data, model, tmp_path, no_work):
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    for arguments in (fit(data, tmp_path / "loop.csv"), move(model, data, tmp_path / "loop.csv")):
        refused(run(*arguments, "--force"), NO_FILE, "loop.csv: Too many levels of symbolic links")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_takes_no_files(run, data, tmp_path, no_work):
    (tmp_path / "closed").mkdir(mode=0o500)
    refused(run(*fit(data, tmp_path / "closed" / "x")), NO_FILE, "Permission denied")


def test_what_is_read_is_never_replaced(run, data, model, tmp_path, no_work):
    (tmp_path / "link.csv").symlink_to(data)
    os.link(model, tmp_path / "hard.csv")
    before = data.read_bytes(), model.read_bytes()
    for arguments in (
        fit(data, data),
        fit(data, tmp_path / "link.csv"),
        report(model, data, model),
        move(model, data, data),
        move(model, data, tmp_path / "hard.csv"),
    ):
        refused(run(*arguments, "--force"), BAD, "is an input and would be overwritten")
    assert (data.read_bytes(), model.read_bytes()) == before


def test_a_file_that_appears_during_the_work_is_kept(tmp_path):
    path = tmp_path / "new"
    check_free(path, False)
    path.write_bytes(b"precious")
    with pytest.raises(FileExistsError, match="was created while the command ran. Add --force"):
        write_whole(path, b"late")
    assert path.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [path]
    check_free(path, True)
    write_whole(path, b"forced")
    assert path.read_bytes() == b"forced"


def test_a_new_file_on_a_disk_without_links(tmp_path, monkeypatch):
    def link(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(os, "link", link)
    never_replace(tmp_path / "new")
    assert write_whole(tmp_path / "new", b"first").read_bytes() == b"first"
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "new", b"second")
    assert (tmp_path / "new").read_bytes() == b"first"


def test_labels_that_no_file_can_hold_are_noticed_before_the_fit(run, tmp_path, monkeypatch):
    table = pa.table({"a": [0.1, 0.5, 0.7, 0.2], "site": [Decimal("1.5"), Decimal("2.5")] * 2})
    pq.write_table(table, tmp_path / "d.parquet")

    def work(*_, **__):
        raise AssertionError("the work has started")

    monkeypatch.setattr(DomainCounterfactual, "fit", work)
    answer = run(*fit(tmp_path / "d.parquet", tmp_path / "x.model"))
    refused(answer, BAD, "a label must be text, a number")


def test_standard_output_by_its_other_name(run, data, model):
    pipe = run(*move(model, data, "-"))
    assert run(*move(model, data, "/dev/stdout")).out == pipe.out
    assert pipe.out.startswith("a,b,site\n")
