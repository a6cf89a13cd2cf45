"""What a user asks for, as the commands that do it and as the Python that does the same."""

import csv
import io
from dataclasses import asdict, dataclass
from pathlib import Path

MODEL, REPORT, ANSWERS, LEVEL = "model.elsewhere", "report.html", "answers.csv", 0.9


@dataclass(frozen=True)
class Asked:
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
    def share_of_fit(self) -> float:
        """How much of the time the fit takes, about; the checks take the rest."""
        return 0.7 if self.thorough else 0.2

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
        read = {"csv": "read_csv", "parquet": "read_parquet", "feather": "read_feather"}
        how = read.get(Path(self.file).suffix.lstrip("."), "read_csv")
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
                f"data = pd.{how}({self.file!r}){gaps}",
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


def in_one_line(names: tuple[str, ...]) -> str:
    """a,b,"c,d": as the commands read lists of names."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()
