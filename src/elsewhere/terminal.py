"""What is shown on a terminal: tables and bars, in which square brackets are square brackets."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from elsewhere.escaping import for_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table


def console(*, stderr: bool = False) -> "Console":
    """A console that takes text as it is: neither [mg/L] nor :pill: means anything to it."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False)


def table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers_from: int | None = None,
    **looks: Any,
) -> "Table":
    """A table of plain text; columns from `numbers_from` on are aligned to the right."""
    from rich.table import Table

    made = Table(title=for_terminal(title), title_justify="left", **looks)
    for i, name in enumerate(header):
        right = numbers_from is not None and i >= numbers_from
        made.add_column(for_terminal(name), justify="right" if right else "left", overflow="fold")
    for row in rows:
        made.add_row(*map(for_terminal, row))
    return made


@contextmanager
def bars(*, count: bool = False, **looks: Any) -> "Iterator[Progress]":
    """Bars on stderr, each with a text beside it and, with `count`, how many are done."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    counted = [MofNCompleteColumn()] if count else []
    times = [TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(compact=True)]
    columns = [BarColumn(), *counted, TextColumn("{task.description}", markup=False), *times]
    with Progress(*columns, console=console(stderr=True), **looks) as shown:
        yield shown


@contextmanager
def one_bar(text: str, **looks: Any) -> Iterator[Callable[[float, str], None]]:
    """A bar that follows a fraction and what is being done."""
    with bars(**looks) as shown:
        task = shown.add_task(text, total=1.0)
        yield lambda done, words: shown.update(task, completed=done, description=words)


class ProgressLines:
    """Progress where there is no terminal: "fitting: 40 %, 12 s left, linear" every few seconds.

    The first line comes after `EVERY` seconds, so that what is quick stays silent.
    ELSEWHERE_PROGRESS sets the seconds.
    """

    EVERY = 5.0

    def __init__(self, text: str):
        self.text = text
        self.every = float(os.environ.get("ELSEWHERE_PROGRESS", self.EVERY))
        self.start = self.last = time.monotonic()

    def __call__(self, done: float, words: str) -> None:
        """Write a line if enough time has gone by since the last."""
        now = time.monotonic()
        if now - self.last < self.every:
            return
        self.last = now
        left = f"{(now - self.start) * (1 - done) / done:.0f} s left, " if done > 0.02 else ""
        line = f"{self.text}: {100 * done:.0f} %, {left}{words}"
        sys.stderr.write(for_terminal(" ".join(line.split())) + "\n")
        sys.stderr.flush()
