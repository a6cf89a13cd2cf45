"""What the command says: progress and remarks on stderr, results on stdout."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from elsewhere.escaping import for_terminal
from elsewhere.streams import out_for_programs
from elsewhere.terminal import ProgressLines, console, one_bar, table

if TYPE_CHECKING:
    from elsewhere.trust.decision import Decision


def remark(text: str) -> None:
    """One line on stderr."""
    sys.stderr.write(for_terminal(" ".join(text.split())) + "\n")


def print_json(summary: Mapping[str, Any]) -> None:
    """The summary on stdout, as one JSON object."""
    out_for_programs().write(json.dumps(summary, indent=1, ensure_ascii=False, default=str) + "\n")


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout."""
    console().print(table(title, header, rows, show_header=any(header)))


def print_item(title: str, lines: Sequence[str]) -> None:
    """A title, and below it lines of text that are set in."""
    from rich.padding import Padding

    out = console()
    out.print(for_terminal(f"\n{title}"), style="bold", highlight=False)
    for line in lines:
        out.print(Padding(for_terminal(line), (0, 0, 0, 2), expand=False), highlight=False)


def print_decision(decision: "Decision") -> None:
    """Should I use these answers? The answer and its two reasons, on stdout."""
    from elsewhere.trust.decision import QUESTION

    out = console()
    out.print(for_terminal(f"{QUESTION} {decision.answer.upper()}."), style="bold", highlight=False)
    out.print(for_terminal(decision.headline), highlight=False)
    for reason in decision.reasons:
        verdict = reason.verdict
        do = f" {verdict.remedy}" if verdict.remedy else ""
        out.print(for_terminal(f"- {reason.title} {verdict.words}{do}"), highlight=False)
    if decision.unseen:
        out.print(for_terminal(decision.unseen), style="dim", highlight=False)


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
def progress_bar(text: str = "fitting") -> Iterator[Callable[[float, str], None]]:
    """A bar on stderr where that is a terminal; elsewhere a line every few seconds."""
    if not sys.stderr.isatty():
        yield ProgressLines(text)
        return
    with one_bar(text, transient=True) as follow:
        yield follow
