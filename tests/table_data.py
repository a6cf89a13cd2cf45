"""One small table of mixed columns, and one quick fit of it, for all tests of the tool."""

from functools import cache

import numpy as np
import pandas as pd

from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Options

SMALL = Options(starts=2, steps=3, parents=1, rounds=0, polish_steps=1, classes=2)
SETTINGS = {"k": 1, "mixing": "linear", "options": SMALL}
FEATURES = ["mass", "count", "level", "flat"]


@cache
def table() -> pd.DataFrame:
    """300 rows of two sites: a positive float32, whole numbers, a real, a constant, and text."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal((300, 3))
    site = np.where(np.arange(300) % 2, "north", "south")
    z[site == "north", 0] += 1.5
    return pd.DataFrame(
        {
            "id": [f"{i:03d}" for i in range(300)],
            "mass": np.exp(z[:, 0] + 0.3 * z[:, 1]).astype("float32"),
            "site": site,
            "count": np.rint(20 + 5 * z[:, 1] + 2 * z[:, 0]).astype(int),
            "level": z[:, 2] - 0.5 * z[:, 0],
            "flat": 2.5,
        },
        index=pd.Index(np.arange(300) + 1000, name="subject"),
    )


@cache
def fitted() -> DomainCounterfactual:
    """The quick fit; nobody may change it."""
    return DomainCounterfactual(**SETTINGS).fit(table()[FEATURES], table()["site"])
