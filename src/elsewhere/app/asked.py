"""What a user asks for, as the commands that do it and as the Python that does the same."""

import csv
import inspect
import io
from dataclasses import asdict, dataclass
from pathlib import Path

from elsewhere.cli.fit import fit

MODEL, REPORT = "model.elsewhere", "report.html"


def can_keep() -> bool:
    """Whether fits take covariates whose effects are kept."""
    return "keep" in inspect.signature(fit).parameters


@dataclass(frozen=True)
class Asked:
    """A fit: the table, its columns by what becomes of them, and how.

    Attributes:
        table: the name of the table in the store.
        file: the name of its file.
        domain: the column that says where a row came from.
        columns: those to model.
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
    invariants: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    drop: bool = False
    planted: bool = True
    thorough: bool = False

    def commands(self, data: Path) -> dict[str, list[str]]:
        """The arguments of `fit` and of `report`, in the order in which they run."""
        fitted = ["fit", str(data), "--domain", self.domain, "--out", MODEL]
        fitted += ["--columns", in_one_line(self.columns)]
        fitted += [] if self.thorough else ["--mixing", "moments"]
        fitted += ["--keep", in_one_line(self.keep)] if self.keep else []
        told = ["report", MODEL, str(data), "--out", REPORT]
        told += ["--invariants", in_one_line(self.invariants)] if self.invariants else []
        told += [] if self.planted else ["--no-planted"]
        return {"fit": [*fitted, "--json", "--force"], "report": [*told, "--json", "--force"]}

    def python(self) -> str:
        """The same in Python."""
        read = {"csv": "read_csv", "parquet": "read_parquet", "feather": "read_feather"}
        how = read.get(Path(self.file).suffix.lstrip("."), "read_csv")
        needed = [*self.columns, self.domain, *self.keep]
        gaps = f".dropna(subset={needed!r})" if self.drop else ""
        mixing = "" if self.thorough else 'mixing="moments"'
        kept = f", covariates=data[{list(self.keep)!r}]" if self.keep else ""
        return "\n".join(
            [
                "import pandas as pd",
                "from elsewhere import DomainCounterfactual",
                "",
                f"data = pd.{how}({self.file!r}){gaps}",
                f"columns = {list(self.columns)!r}",
                f"estimator = DomainCounterfactual({mixing})",
                f"estimator.fit(data[columns], data[{self.domain!r}]{kept})",
                "target = estimator.domains_[0]",
                f"source = data[{self.domain!r}]",
                "moved = estimator.counterfactual(data[columns], source=source, target=target)",
            ]
        )

    def plain(self) -> dict:
        """As JSON can hold it."""
        return asdict(self)


def in_one_line(names: tuple[str, ...]) -> str:
    """a,b,"c,d": as the commands read lists of names."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()
