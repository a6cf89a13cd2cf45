"""What a user asks for, as the commands that do it and as the Python that does the same."""

import csv
import io
from dataclasses import asdict, dataclass
from pathlib import Path

MODEL, REPORT, ANSWERS, LEVEL = "model.elsewhere", "report.html", "answers.csv", 0.9


@dataclass(frozen=True)
class FitRequest:
    """A fit: the table, its columns by what becomes of them, and how.

    Attributes:
        table: the name of the table in the store.
        file: the name of its file.
        domain: the column that says where a row came from.
        columns: those to model.
        left_out: those that could be modelled too, and are left as they are.
        invariants: those of them that must not change.
        keep: covariates, whose effects stay.
        drop: whether rows with gaps are left out.
        planted: whether to test on simulated rows.
        thorough: whether to search for hidden causes that differ, which takes minutes.
    """

    table: str
    file: str
    domain: str
    columns: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: bool = False
    planted: bool = True
    thorough: bool = False

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """How far all is, about, when each command has started and when it has ended.

        Measured by `benchmarks/time_left.py`; what is known better while it runs, the commands say.
        """
        if self.thorough:
            return {"fit": (0.04, 0.44), "report": (0.6, 1.0)}
        return {"fit": (0.12, 0.16), "report": (0.57, 1.0)}

    def commands(self, data: Path) -> dict[str, list[str]]:
        """The arguments of `fit` and of `report`, in the order in which they run."""
        fitted = ["fit", str(data), "--domain", self.domain, "--out", MODEL]
        fitted += ["--columns", in_one_line(self.columns)] if self.left_out else []
        fitted += [] if self.thorough else ["--mixing", "moments"]
        fitted += ["--keep", in_one_line(self.keep)] if self.keep else []
        told = ["report", MODEL, str(data), "--out", REPORT]
        told += ["--invariants", in_one_line(self.invariants)] if self.invariants else []
        told += [] if self.planted else ["--no-planted"]
        return {"fit": [*fitted, "--json", "--force"], "report": [*told, "--json", "--force"]}

    def question(self, target: str, *, interval: bool) -> list[str]:
        """The arguments of `counterfactual` that give every row as if from the target."""
        asked = ["counterfactual", MODEL, self.file, "--to", target, "--out", ANSWERS]
        return [*asked, *(["--interval", f"{LEVEL:g}"] if interval else [])]

    def python(self, target: str) -> str:
        """The same in Python."""
        needed = [*self.columns, self.domain, *self.keep]
        gaps = f".dropna(subset={needed!r})" if self.drop else ""
        mixing = "" if self.thorough else 'mixing="moments"'
        kept = f", covariates=data[{list(self.keep)!r}]" if self.keep else ""
        source = f"data[{self.domain!r}]"
        return "\n".join(
            [
                "import pandas as pd",
                "from elsewhere import DomainCounterfactual",
                "",
                f"data = {_read_by_pandas(self.file)}{gaps}",
                f"columns = {list(self.columns)!r}",
                f"estimator = DomainCounterfactual({mixing})",
                f"estimator.fit(data[columns], {source}{kept})",
                "moved = estimator.counterfactual(",
                f"    data[columns], source={source}, target={target!r}{kept}",
                ")",
            ]
        )

    def plain(self) -> dict:
        """As JSON can hold it."""
        return asdict(self)


def _read_by_pandas(file: str) -> str:
    """The call that reads a table; only text can be compressed, which pandas sees by itself."""
    kind = Path(file.removesuffix(".gz")).suffix.lower()
    if kind == ".tsv":
        return f"pd.read_csv({file!r}, sep='\\t')"
    how = {".parquet": "parquet", ".pq": "parquet", ".feather": "feather", ".arrow": "feather"}
    return f"pd.read_{how.get(kind, 'csv')}({file!r})"


def in_one_line(names: tuple[str, ...]) -> str:
    """a,b,"c,d": as the commands read lists of names."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()
