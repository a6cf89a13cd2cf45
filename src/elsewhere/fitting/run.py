"""An engine on a user's data: rows checked, shuffled and held out, then fitted."""

from collections.abc import Sequence
from dataclasses import replace

from elsewhere.arrays import Key
from elsewhere.draws import as_key
from elsewhere.fitting.engine import Engine, FitResult, K, Progress, silent
from elsewhere.fitting.split import Data, split


def run_engine(
    engine: Engine,
    key: Key,
    data: Data,
    ks: Sequence[K],
    valid: Data | None = None,
    progress: Progress | None = None,
) -> dict[K, FitResult]:
    """One result for every k, which remembers its engine."""
    key = as_key(key) if engine.draws(ks) else key
    rows = split(engine.row_key(key, ks), data, valid, engine.check)
    results = engine.fit(key, rows, ks, progress or silent)
    return {k: replace(result, engine=result.engine or engine) for k, result in results.items()}
