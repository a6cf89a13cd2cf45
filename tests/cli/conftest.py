"""The command with small searches, and a table and a model to give it."""

import pytest

from commands import caller
from elsewhere.fitting import Auto, Profile, engines
from table_data import SMALL, fitted, table


@pytest.fixture
def run(monkeypatch, capsys):
    """run("fit", …): exit code, stdout and stderr; searches are small."""
    small = {"linear": Profile("linear", options=SMALL), "leaky": Profile(options=SMALL)}
    for name, engine in ({"auto": Auto(options=SMALL)} | small).items():
        monkeypatch.setitem(engines._ENGINES, name, engine)
    return caller(monkeypatch, capsys)


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
