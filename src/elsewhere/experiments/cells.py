"""The simulated experiments of the paper, as lists of cells to run."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from elsewhere.datasets.simulated import Bias, Mixing


@dataclass(frozen=True)
class Setting:
    """What a ground truth is drawn from: m, the number of domains, I* (0-based), bias, mixing."""

    m: int
    num_domains: int
    intervened: tuple[int, ...]
    bias: Bias
    mixing: Mixing = "leaky"

    @property
    def name(self) -> str:
        """A name that no other setting has; a folder's name too."""
        where = "-".join(str(j + 1) for j in self.intervened)
        return f"{self.mixing}_{self.bias}_m{self.m}_d{self.num_domains}_i{where}"

    def columns(self) -> dict[str, Any]:
        """As columns of a tidy table, I* counted from 1 as in the paper."""
        return asdict(self) | {"intervened": _text(self.intervened)}


@dataclass(frozen=True)
class Cell:
    """One point of a figure: where on the horizontal axis, the truth, the model's k and mixing.

    `couplings` is 0 for a leaky-linear mixing, else the number of affine couplings of a flow;
    `latent` is 0 for an invertible mixing, else the latents of an encoder and a decoder.
    """

    experiment: str
    at: str
    setting: Setting
    k: int
    couplings: int = 0
    latent: int = 0

    def columns(self) -> dict[str, Any]:
        """As columns of a tidy table."""
        place = {"experiment": self.experiment, "at": self.at, "couplings": self.couplings}
        return place | self.setting.columns()


@dataclass(frozen=True)
class Experiment:
    """A title, what varies along the axis, the cells, and what distinguishes the panels.

    `bound`: the models have no likelihood but the ELBO, a lower bound of it.
    """

    title: str
    axis: str
    cells: Callable[[Bias], list[Cell]]
    panels: str = "num_domains"
    bound: bool = False


_DOMAINS = (2, 3, 10)


def _text(intervened: tuple[int, ...]) -> str:
    return "{" + ",".join(str(j + 1) for j in intervened) + "}"


def _last(m: int, count: int) -> tuple[int, ...]:
    return tuple(range(m - count, m))


def _s1(bias: Bias) -> list[Cell]:
    pairs = [(i, i + 1) for i in range(5)]
    return [Cell("S1", _text(p), Setting(6, d, p, bias), 2) for d in _DOMAINS for p in pairs]


def _s2(bias: Bias) -> list[Cell]:
    ks = (1, 2, 3, 4)
    return [Cell("S2", str(k), Setting(6, d, (4, 5), bias), k) for d in _DOMAINS for k in ks]


def _s3(bias: Bias) -> list[Cell]:
    counts = range(1, 7)
    return [
        Cell("S3", str(j), Setting(6, d, _last(6, j), bias), j) for d in _DOMAINS for j in counts
    ]


def _s4(bias: Bias) -> list[Cell]:
    sizes = (4, 6, 8, 10)
    return [
        Cell("S4", str(m), Setting(m, d, _last(m, 2), bias), 2) for d in _DOMAINS for m in sizes
    ]


def _s5(bias: Bias) -> list[Cell]:
    domains = (2, 3, 5, 10)
    return [Cell("S5", str(d), Setting(m, d, (0, 1), bias), 2) for m in (6, 8, 10) for d in domains]


def _s6(bias: Bias) -> list[Cell]:
    counts = (1, 2, 3, 4)
    return [
        Cell("S6", str(j), Setting(6, d, _last(6, j), bias), 2) for d in _DOMAINS for j in counts
    ]


def _s7(bias: Bias) -> list[Cell]:
    pairs = [(i, i + 1) for i in range(5)]
    settings = [Setting(6, 3, pair, bias, "real_nvp") for pair in pairs]
    return [Cell("S7", _text(s.intervened), s, 2, n) for n in (4, 8) for s in settings]


def _s7k(bias: Bias) -> list[Cell]:
    setting = Setting(6, 3, (4, 5), bias, "real_nvp")
    return [Cell("S7K", str(k), setting, k, n) for n in (4, 8) for k in (1, 2, 3, 4)]


def _s8(bias: Bias) -> list[Cell]:
    pairs = [(i, i + 1) for i in range(0, 10, 2)]
    settings = [Setting(10, 3, pair, bias, "real_nvp") for pair in pairs]
    return [Cell("S8", _text(s.intervened), s, 2, latent=6) for s in settings]


def _s8k(bias: Bias) -> list[Cell]:
    setting = Setting(10, 3, (7, 8), bias, "real_nvp")
    return [Cell("S8K", str(k), setting, k, latent=6) for k in (1, 2, 3, 4)]


def _s11(bias: Bias) -> list[Cell]:
    settings = [Setting(6, d, (4, 5), bias, "linear") for d in _DOMAINS]
    return [Cell("S11", str(k), s, k) for s in settings for k in range(1, 7)]


def _s11f(bias: Bias) -> list[Cell]:
    setting = Setting(6, 3, (4, 5), bias, "smooth")
    return [Cell("S11F", str(k), setting, k, 4) for k in range(1, 7)]


EXPERIMENTS: dict[str, Experiment] = {
    "S1": Experiment("Which mechanisms are intervened", "I*", _s1),
    "S2": Experiment("How many the model may change (I* = {5,6})", "k", _s2),
    "S3": Experiment("How many are intervened (k = |I*|)", "|I*|", _s3),
    "S4": Experiment("The dimension", "m", _s4),
    "S5": Experiment("How many domains (I* = {1,2})", "domains", _s5, "m"),
    "S6": Experiment("More intervened than the model may change (k = 2)", "|I*|", _s6),
    "S7": Experiment("RealNVP truth: which are intervened", "I*", _s7, "couplings"),
    "S7K": Experiment("RealNVP truth: how many may change", "k", _s7k, "couplings"),
    "S8": Experiment("Six latents for ten: which are intervened", "I*", _s8, bound=True),
    "S8K": Experiment("Six latents for ten: how many may change", "k", _s8k, bound=True),
    "S11": Experiment("Linear mixing, nothing fixes the axes: how many may change", "k", _s11),
    "S11F": Experiment("Smooth flow, nothing fixes the axes: how many may change", "k", _s11f),
}


def cells_of(
    experiment: str, bias: Bias, *, quick: bool = False, domains: int | None = None
) -> list[Cell]:
    """The cells of an experiment; `quick` keeps three domains (all in S5), m = 6, 4 couplings.

    Of S8 and S8K, where m = 10, and of S11F it keeps the first two cells.

    `domains` keeps those with so many domains.
    """
    if experiment not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise ValueError(f"experiment must be one of {known}; got {experiment!r}.")
    cells = EXPERIMENTS[experiment].cells(bias)
    cells = [cell for cell in cells if domains in (None, cell.setting.num_domains)]
    if not cells:
        raise ValueError(f"no cell of {experiment} has {domains} domains; leave --domains out.")
    if not quick:
        return cells
    slow = cells[0].latent or cells[0].setting.mixing == "smooth"
    return cells[:2] if slow else [cell for cell in cells if _is_quick(cell)]


def _is_quick(cell: Cell) -> bool:
    few = cell.setting.num_domains == 3 or EXPERIMENTS[cell.experiment].panels == "m"
    return few and cell.setting.m == 6 and cell.couplings <= 4
