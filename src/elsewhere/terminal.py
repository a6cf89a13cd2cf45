"""What is shown on a terminal: tables and bars, in which square brackets are square brackets."""

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
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counted = [MofNCompleteColumn()] if count else []
    columns = [BarColumn(), *counted, TextColumn("{task.description}", markup=False)]
    with Progress(*columns, TimeElapsedColumn(), console=console(stderr=True), **looks) as shown:
        yield shown


@contextmanager
def one_bar(text: str, **looks: Any) -> Iterator[Callable[[float, str], None]]:
    """A bar that follows a fraction and what is being done."""
    with bars(**looks) as shown:
        task = shown.add_task(text, total=1.0)
        yield lambda done, words: shown.update(task, completed=done, description=words)
