"""The command in this process: JAX starts once for all tests."""

import sys
from dataclasses import dataclass

import pytest

from elsewhere import cli
from elsewhere.fitting import Auto, Profile, registered_engines
from table_data import SMALL, fitted, table


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """run("fit", …): exit code, stdout and stderr; searches are small."""
    small = {"linear": Profile("linear", options=SMALL), "leaky": Profile(options=SMALL)}
    small = registered_engines() | {"auto": Auto(options=SMALL)} | small
    monkeypatch.setattr("elsewhere.estimators.fit_tables.registered_engines", lambda: small)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["elsewhere", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        return Answer(code, *capsys.readouterr())

    return call


@pytest.fixture
def data(tmp_path):
    """The table as a CSV file."""
    path = tmp_path / "data.csv"
    table().to_csv(path, index=False)
    return path


@pytest.fixture
def model(tmp_path):
    """A model of it."""
    return fitted().save(tmp_path / "a.model")
