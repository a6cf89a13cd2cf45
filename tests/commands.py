"""The command in this process: JAX starts once for all tests."""

import sys
from dataclasses import dataclass

from elsewhere import cli


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


def caller(monkeypatch, capsys):
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
