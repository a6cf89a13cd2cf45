"""The command in this process, as for its own tests."""

import pytest

from commands import caller


@pytest.fixture
def run(monkeypatch, capsys):
    """run("fit", …): exit code, stdout and stderr."""
    return caller(monkeypatch, capsys)
