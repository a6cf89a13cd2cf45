"""Families of experiments, by the letter their names begin with; one line each.

A family turns names into rows, rows into a table and figures, and writes them with `write_results`.
Rows that take long are kept with `Rows`, and tasks run several at once with `run_all`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

FAMILIES: dict[str, str] = {
    "S": "elsewhere.experiments.reproduce:Simulated",
    "I": "elsewhere.experiments.images.family:Images",
    "R": "elsewhere.experiments.real.family:Real",
}


class Family(ABC):
    """Experiments that are run alike."""

    @abstractmethod
    def names(self) -> list[str]:
        """The names of the experiments."""

    @abstractmethod
    def listing(self) -> "Table":
        """The experiments, for the terminal."""

    @abstractmethod
    def run(
        self, names: Sequence[str], out: Path, asked: Mapping[str, Any], command: str
    ) -> Iterable[Path]:
        """Run what is missing, write the results, and return what was written.

        Args:
            names: of the experiments, as they were asked for; unknown ones raise a ValueError.
            out: the folder of all results.
            asked: every option of `elsewhere reproduce`, by name; those of other families too.
            command: how it was asked for.
        """


def seed_range(text: str) -> range:
    """The seeds of --seeds: as many as a number says, or a range such as 10-19."""
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError(f"--seeds must be a number or a range such as 10-19; got {text!r}.")
    chosen = range(int(first), int(last) + 1) if dash else range(int(first))
    if not chosen:
        raise ValueError(
            f"--seeds must name at least one seed; got {text!r}. Use e.g. 10 or 10-19."
        )
    return chosen


def family_called(letter: str) -> Family:
    """The family of a letter."""
    module, _, name = FAMILIES[letter].partition(":")
    return getattr(import_module(module), name)()


def by_family(names: Iterable[str]) -> dict[str, list[str]]:
    """The names of experiments by the letters of their families; a ValueError for unknown ones."""
    sorted_out: dict[str, list[str]] = {}
    for name in (name.upper() for name in names):
        if name[:1] not in FAMILIES:
            known = [one for letter in FAMILIES for one in family_called(letter).names()]
            raise ValueError(f"experiment must be one of {', '.join(known)}; got {name!r}.")
        sorted_out.setdefault(name[0], []).append(name)
    return sorted_out
