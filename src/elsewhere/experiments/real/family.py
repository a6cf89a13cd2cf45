"""The family of experiments on real tables: from the options of the command to a plan."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from elsewhere.experiments.family import Family, seed_range
from elsewhere.experiments.real.reproduce import RealPlan, list_real, reproduce_real
from elsewhere.experiments.real.sets import REAL_SETS


class Real(Family):
    """Real tables whose pairs are known, and hidden."""

    def names(self) -> list[str]:
        """R1 to R7."""
        return [*REAL_SETS]

    def listing(self) -> Table:
        """The real tables."""
        return list_real()

    def run(
        self, names: Sequence[str], out: Path, asked: Mapping[str, Any], command: str
    ) -> Iterable[Path]:
        """A folder per table."""
        seeds = seed_range(asked["seeds"] or ("2" if asked["quick"] else "10"))
        only = tuple(part.strip() for part in asked["models"].split(",") if part.strip())
        return reproduce_real(names, out, RealPlan(seeds, only), command, asked["data_dir"])
