"""The simulated experiments of the paper, as lists of cells to run."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from elsewhere.datasets.simulated import Bias, Mixing


@dataclass(frozen=True)
class Cell:
    """One setting: the truth's m, domains and I* (0-based), and the k given to the model.

    `at` is the value on the figure's horizontal axis.
    """

    experiment: str
    at: str
    m: int
    num_domains: int
    intervened: tuple[int, ...]
    k: int
    bias: Bias
    mixing: Mixing = "leaky"

    @property
    def name(self) -> str:
        """A name that tells the cell from all others; a file's name too."""
        where = "-".join(str(j + 1) for j in self.intervened)
        return f"{self.experiment}_{self.bias}_m{self.m}_d{self.num_domains}_i{where}_k{self.k}"

    def columns(self) -> dict[str, Any]:
        """The cell as columns of a tidy table, I* counted from 1 as in the paper."""
        text = "{" + ",".join(str(j + 1) for j in self.intervened) + "}"
        return asdict(self) | {"intervened": text, "cell": self.name}


@dataclass(frozen=True)
class Experiment:
    """A title, what varies along the axis, and the cells."""

    title: str
    axis: str
    cells: Callable[[Bias], list[Cell]]


_DOMAINS = (2, 3, 10)


def _last(m: int, count: int) -> tuple[int, ...]:
    return tuple(range(m - count, m))


def _s1(bias: Bias) -> list[Cell]:
    def cell(d: int, i: int) -> Cell:
        return Cell("S1", f"{{{i + 1},{i + 2}}}", 6, d, (i, i + 1), 2, bias)

    return [cell(d, i) for d in _DOMAINS for i in range(5)]


def _s2(bias: Bias) -> list[Cell]:
    return [Cell("S2", str(k), 6, d, (4, 5), k, bias) for d in _DOMAINS for k in (1, 2, 3, 4)]


def _s3(bias: Bias) -> list[Cell]:
    counts = range(1, 7)
    return [Cell("S3", str(j), 6, d, _last(6, j), j, bias) for d in _DOMAINS for j in counts]


def _s4(bias: Bias) -> list[Cell]:
    sizes = (4, 6, 8, 10)
    return [Cell("S4", str(m), m, d, _last(m, 2), 2, bias) for d in _DOMAINS for m in sizes]


def _s5(bias: Bias) -> list[Cell]:
    domains = (2, 3, 5, 10)
    return [Cell("S5", str(d), m, d, (0, 1), 2, bias) for m in (6, 8, 10) for d in domains]


def _s6(bias: Bias) -> list[Cell]:
    counts = (1, 2, 3, 4)
    return [Cell("S6", str(j), 6, d, _last(6, j), 2, bias) for d in _DOMAINS for j in counts]


EXPERIMENTS: dict[str, Experiment] = {
    "S1": Experiment("Which mechanisms are intervened", "I*", _s1),
    "S2": Experiment("How many the model may change (I* = {5,6})", "k", _s2),
    "S3": Experiment("How many are intervened (k = |I*|)", "|I*|", _s3),
    "S4": Experiment("The dimension", "m", _s4),
    "S5": Experiment("How many domains (I* = {1,2})", "domains", _s5),
    "S6": Experiment("More intervened than the model may change (k = 2)", "|I*|", _s6),
}


def cells_of(
    experiment: str, bias: Bias, *, quick: bool = False, domains: int | None = None
) -> list[Cell]:
    """The cells of an experiment; `quick` keeps those with three domains (or six latents in S5).

    `domains` keeps those with so many domains.
    """
    if experiment not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise ValueError(f"experiment must be one of {known}; got {experiment!r}.")
    cells = EXPERIMENTS[experiment].cells(bias)
    cells = [cell for cell in cells if domains in (None, cell.num_domains)]
    if not cells:
        raise ValueError(f"no cell of {experiment} has {domains} domains; leave --domains out.")
    if not quick:
        return cells
    return [
        cell for cell in cells if (cell.m == 6 if experiment == "S5" else cell.num_domains == 3)
    ]
