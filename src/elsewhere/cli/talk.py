"""What the command says: progress and remarks on stderr, results on stdout."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any


def remark(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(" ".join(text.split()) + "\n")


def print_json(summary: Mapping[str, Any]) -> None:
    """The summary on stdout, as one JSON object."""
    sys.stdout.write(json.dumps(summary, indent=1, ensure_ascii=False, default=str) + "\n")


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", show_header=any(header))
    for name in header:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


@contextmanager
def progress_bar() -> Iterator[Callable[[float, str], None] | None]:
    """A bar on stderr where that is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("fitting", total=1.0)
        yield lambda fraction, text: bar.update(task, completed=fraction, description=text)
