"""Small tables of each kind of content, fitted by moments in milliseconds, for fuzzing their files.

Each gives an estimator and, apart from it, two rows to ask about with all that goes with them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from elsewhere.estimators import DomainCounterfactual

DOMAINS = ("north", "south")
ROWS = 60


@dataclass(frozen=True)
class Asked:
    """Two rows, one of each domain, and what is asked with them.

    Attributes:
        X: the rows.
        covariates: of the rows, where the fit has kept any.
        unseen: a combination of domains without rows, where there are combinations.
    """

    X: pd.DataFrame
    covariates: pd.DataFrame | None = None
    unseen: str | None = None


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """60 rows of two sites: real, real, positive."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((ROWS, 3))
    x[ROWS // 2 :] = 1 + 2 * x[ROWS // 2 :]
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": np.exp(x[:, 2])})
    return frame, np.repeat(DOMAINS, ROWS // 2)


def ages() -> pd.DataFrame:
    """A number and a category to keep, of the rows of the table."""
    rng = np.random.default_rng(2)
    return pd.DataFrame({"age": rng.uniform(20, 80, ROWS), "sex": rng.choice(["f", "m"], ROWS)})


def moments() -> DomainCounterfactual:
    """A map by moments, and nothing else."""
    return DomainCounterfactual(mixing="moments").fit(*table())


def usual() -> DomainCounterfactual:
    """With values too far out, which count as less than they are."""
    return DomainCounterfactual(mixing="moments").fit(_usual(), table()[1])


def _usual() -> pd.DataFrame:
    found = table()[0]
    found.loc[0, ["a", "c"]] = 1e6
    found.loc[ROWS - 1, "b"] = -1e6
    return found


def kept() -> DomainCounterfactual:
    """Beside covariates that stay."""
    return DomainCounterfactual(mixing="moments").fit(*table(), covariates=ages())


def gaps() -> DomainCounterfactual:
    """With a tenth of the entries missing, and covariates."""
    X, sites = table()
    holes = X.mask(np.random.default_rng(3).random(X.shape) < 0.1)
    return DomainCounterfactual(mixing="moments").fit(holes, sites, covariates=ages())


def wide() -> DomainCounterfactual:
    """More columns than missing entries are told by matrices: by factors."""
    X, sites = _wide()
    holes = X.mask(np.random.default_rng(3).random(X.shape) < 0.1)
    return DomainCounterfactual(mixing="moments").fit(holes, sites)


def crossed() -> DomainCounterfactual:
    """Sites and scanners, one of whose four combinations has no rows."""
    X, sites = table()
    scanners = np.where((sites == "south") | (np.arange(ROWS) % 2 == 0), "1", "2")
    labels = pd.DataFrame({"site": sites, "scanner": scanners})
    return DomainCounterfactual(mixing="moments").fit(X, labels)


def zeros() -> DomainCounterfactual:
    """Amounts of which a third are zero, and whole numbers."""
    return DomainCounterfactual(mixing="moments").fit(_zeros(), table()[1])


def sums() -> DomainCounterfactual:
    """A total of two parts, and a column that never varies."""
    return DomainCounterfactual(mixing="moments", sums={"t": ["a", "b"]}).fit(_sums(), table()[1])


def levels() -> DomainCounterfactual:
    """Ordered levels of text."""
    links = {"c": ("levels", "low", "mid", "high")}
    return DomainCounterfactual(mixing="moments", links=links).fit(_levels(), table()[1])


def bounds() -> DomainCounterfactual:
    """A share and a positive column, of domains that are days."""
    links = {"a": ("bounded", 0.0, 1.0), "b": "positive", "c": "identity"}
    days = np.where(table()[1] == "north", date(2020, 1, 31), date(2021, 2, 28))
    return DomainCounterfactual(mixing="moments", links=links).fit(_bounds(), days)


def paired() -> DomainCounterfactual:
    """Corrected by rows that were seen in both domains."""
    X, sites = table()
    north = X[sites == "north"].reset_index(drop=True)
    south = north.assign(a=1 + 2 * north["a"] + 0.3 * north["b"], c=2 * north["c"])
    pairs = ("north", "south", north, south)
    return DomainCounterfactual(mixing="moments").fit(X, sites, pairs=pairs)


def _wide() -> tuple[pd.DataFrame, np.ndarray]:
    rng, sites = np.random.default_rng(4), table()[1]
    x = rng.standard_normal((ROWS, 2)) @ rng.standard_normal((2, 42))
    x += rng.standard_normal(x.shape) + (sites == "south")[:, None]
    return pd.DataFrame(x, columns=[f"c{j}" for j in range(42)]), sites


def _zeros() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    rain = np.where(np.arange(ROWS) % 3 == 0, 0.0, rng.gamma(3.0, size=ROWS))
    counts = np.where(np.arange(ROWS) % 3 == 1, 0, rng.poisson(30, ROWS))
    return table()[0].assign(c=rain, d=counts)


def _sums() -> pd.DataFrame:
    X = table()[0]
    return X.assign(t=X["a"] + X["b"], same=7)


def _bounds() -> pd.DataFrame:
    X = table()[0]
    return X.assign(a=1 / (1 + np.exp(-X["a"])), b=np.exp(X["b"]))


def _levels() -> pd.DataFrame:
    X = table()[0]
    return X.assign(
        c=pd.cut(X["c"], [0, 0.6, 2, 1e9], labels=["low", "mid", "high"]).astype(object)
    )


def _between(X: pd.DataFrame) -> pd.DataFrame:
    """The last row of the first domain, and the first of the second."""
    return X.iloc[ROWS // 2 - 1 : ROWS // 2 + 1]


ASKED: dict[str, Callable[[], Asked]] = {
    "moments": lambda: Asked(_between(table()[0])),
    "kept": lambda: Asked(_between(table()[0]), _between(ages())),
    "gaps": lambda: Asked(_between(table()[0]), _between(ages())),
    "wide": lambda: Asked(_between(_wide()[0])),
    "crossed": lambda: Asked(_between(table()[0]), unseen="south × 2"),
    "zeros": lambda: Asked(_between(_zeros())),
    "sums": lambda: Asked(_between(_sums())),
    "levels": lambda: Asked(_between(_levels())),
    "paired": lambda: Asked(_between(table()[0])),
    "bounds": lambda: Asked(_between(_bounds())),
    "usual": lambda: Asked(_usual().iloc[[0, -1]]),
}
