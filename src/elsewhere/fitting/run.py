"""An engine on a user's data: rows checked, shuffled and held out, then fitted."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from elsewhere.arrays import Key, PRNGKeyArray
from elsewhere.draws import as_key
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.progress import Progress, silent
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Data, Split, split
from elsewhere.fitting.units import Units
from elsewhere.fitting.whole import Wholes


def run_engine(
    engine: Engine, key: Key, data: Data, ks: Sequence[K], valid: Data | None = None
) -> dict[K, FitResult]:
    """One result for every k, which remembers its engine."""
    return split_and_fit(engine, key, data, ks, valid)[0]


def split_and_fit(
    engine: Engine,
    key: Key,
    data: Data,
    ks: Sequence[K],
    valid: Data | None = None,
    progress: Progress | None = None,
    units: Units | None = None,
    wholes: Wholes | None = None,
) -> tuple[dict[K, FitResult], Split]:
    """(one result for every k, the rows as they were held out for it)."""
    used = as_key(key) if engine.draws(ks) else cast(PRNGKeyArray, key)  # which nobody looks at
    rows = split(engine.row_key(used, ks), data, valid, engine.check, units, wholes)
    results = engine.fit(used, rows, ks, progress or silent)
    return {k: replace(r, engine=r.engine or engine) for k, r in results.items()}, rows
