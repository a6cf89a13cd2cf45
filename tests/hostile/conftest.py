"""The command in this process, as for its own tests."""

import sys
from dataclasses import dataclass

import pytest

from elsewhere import cli


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """run("fit", …): exit code, stdout and stderr."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["elsewhere", *map(str, arguments)])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        return Answer(code, *capsys.readouterr())

    return call
