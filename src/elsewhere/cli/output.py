"""What the command says: progress and remarks on stderr, results on stdout."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import singledispatch
from typing import Any

from elsewhere.escaping import for_terminal
from elsewhere.terminal import console, one_bar, table


def remark(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(for_terminal(" ".join(text.split())) + "\n")


def print_json(summary: Mapping[str, Any]) -> None:
    """The summary on stdout, as one JSON object."""
    sys.stdout.write(json.dumps(summary, indent=1, ensure_ascii=False, default=str) + "\n")


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout."""
    console().print(table(title, header, rows, show_header=any(header)))


@singledispatch
def in_words(value: Any) -> str:
    """A value as a cell of a table: four decimals, a line for each of a list."""
    return str(value)


@in_words.register
def _(value: float) -> str:
    return f"{value:.4f}"


@in_words.register
def _(value: dict) -> str:
    return "  ".join(f"{name}: {in_words(v)}" for name, v in value.items())


@in_words.register
def _(value: list) -> str:
    return "\n".join(map(str, value))


@contextmanager
def progress_bar() -> Iterator[Callable[[float, str], None] | None]:
    """A bar on stderr where that is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    with one_bar("fitting", transient=True) as follow:
        yield follow
