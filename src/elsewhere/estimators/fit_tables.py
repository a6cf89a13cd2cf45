"""One fit in link space: the engine that was asked for, and pairs where there are any."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import Key
from elsewhere.draws import as_key
from elsewhere.fitting import (
    Crossed,
    Engine,
    FitResult,
    K,
    Moments,
    Options,
    Pairs,
    Progress,
    fit,
)
from elsewhere.fitting.engines import engine_named, engine_names
from elsewhere.fitting.ladder import Auto, for_pairs
from elsewhere.fitting.profile import DEFAULT
from elsewhere.fitting.split import split
from elsewhere.fitting.units import Units
from elsewhere.fitting.whole import Wholes

Tables = Mapping[Hashable, Float[np.ndarray, "_ m"]]


def requested_engine(mixing: Any, slope: float, options: Any) -> Engine:
    """The engine of a user's request.

    Args:
        mixing: an engine, or the name of one.
        slope: of the leaky rectifier, for engines that have one.
        options: how hard to search, for engines that search; or a mapping of the engine's own
            fields. A mapping that names fields of `Gradient` asks for a flow fitted by that.
    """
    if isinstance(mixing, Engine):
        return mixing
    if mixing not in engine_names():
        raise ValueError(f"mixing must be one of {engine_names()} or an Engine; got {mixing!r}.")
    named = engine_named(mixing)
    if isinstance(options, Mapping) and _means_gradient(mixing, named, options):
        return replace(engine_named("gradient"), mixing=mixing, **options)  # type: ignore[type-var]
    names = _names(named)
    given = {"options": options} if isinstance(options, Options) else dict(options or {})
    if unknown := [name for name in given if name not in names]:
        raise ValueError(
            f"options must be elsewhere.fitting.Options, or a mapping of some of {sorted(names)} "
            f"for mixing={mixing!r}; got {unknown}."
        )
    changed = {"slope": slope} if "slope" in names else {}
    return replace(named, **(changed | given))  # type: ignore[type-var]


def mixing_of(result: FitResult, asked: Any) -> str:
    """The name of the mixing that was used, which "auto" leaves to the fit."""
    used = getattr(result.engine, "mixing", None)
    return used if isinstance(used, str) else asked if isinstance(asked, str) else "own"


def fit_tables(
    key: Key,
    tables: Tables,
    k: K,
    engine: Engine,
    pairs: Sequence[Pairs] = (),
    progress: Progress | None = None,
    units: Units | None = None,
    wholes: Wholes | None = None,
) -> FitResult:
    """The fit of all tables; rows are held out once for it and for the pairs."""
    if pairs and not _takes_pairs(engine):
        raise ValueError(
            "pairs need mixing 'auto', 'moments', 'linear' or 'leaky'; got the engine "
            f"{type(engine).__name__}."
        )
    engine = for_pairs(engine) if pairs else engine
    result = fit(key, tables, k=k, engine=engine, progress=progress, units=units, wholes=wholes)
    if not pairs:
        return result
    import jax

    from elsewhere.fitting.refine import refine_with_pairs

    key = as_key(key)
    refining = jax.random.fold_in(key, 1)
    rows = split(engine.row_key(key, [k]), tables, None, engine.check)  # as the fit has them
    options = getattr(engine, "options", DEFAULT)
    given = (rows.train, pairs)
    return refine_with_pairs(refining, result, *given, valid=rows.held, options=options)


def _takes_pairs(engine: Engine) -> bool:
    from elsewhere.fitting.profile.engine import Profile

    return isinstance(engine, Auto | Moments | Crossed | Profile)


def _means_gradient(mixing: str, named: Engine, options: Mapping[str, Any]) -> bool:
    if mixing not in ("real_nvp", "spline") or not set(options) - _names(named):
        return False
    return set(options) <= _names(engine_named("gradient")) - {"mixing"}


def _names(engine: Engine) -> set[str]:
    return {field.name for field in fields(engine)}  # type: ignore[arg-type]
