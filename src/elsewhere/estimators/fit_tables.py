"""One fit in link space: the engine that was asked for, and pairs where there are any."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from elsewhere.fitting import (
    Engine,
    FitResult,
    Gradient,
    K,
    Moments,
    Options,
    Pairs,
    Profile,
    Progress,
    fit,
    refine_with_pairs,
    registered_engines,
)
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.profile import DEFAULT
from elsewhere.fitting.split import split

Tables = dict[Hashable, Float[np.ndarray, "_ m"]]


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
    known = registered_engines()
    if mixing not in known:
        raise ValueError(f"mixing must be one of {tuple(known)} or an Engine; got {mixing!r}.")
    named = known[mixing]
    if isinstance(options, Mapping) and _means_gradient(mixing, named, options):
        return Gradient(mixing=mixing, **options)
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
    key: PRNGKeyArray,
    tables: Tables,
    k: K,
    engine: Engine,
    pairs: Sequence[Pairs] = (),
    progress: Progress | None = None,
) -> FitResult:
    """The fit of all tables; rows are held out once for it and for the pairs."""
    if pairs and not isinstance(engine, Auto | Moments | Profile):
        raise ValueError(
            "pairs need mixing 'auto', 'moments', 'linear' or 'leaky'; got the engine "
            f"{type(engine).__name__}."
        )
    result = fit(key, tables, k=k, engine=engine, progress=progress)
    if not pairs:
        return result
    refining = jax.random.fold_in(key, 1)
    rows = split(engine.row_key(key, [k]), tables, None, engine.check)  # as the fit has them
    options = getattr(engine, "options", DEFAULT)
    given = (rows.train, pairs)
    return refine_with_pairs(refining, result, *given, valid=rows.held, options=options)


def _means_gradient(mixing: str, named: Engine, options: Mapping[str, Any]) -> bool:
    of_gradient = _names(Gradient()) - {"mixing"}
    return (
        mixing in ("real_nvp", "spline")
        and bool(set(options) - _names(named))
        and set(options) <= of_gradient
    )


def _names(engine: Engine) -> set[str]:
    return {field.name for field in fields(engine)}  # type: ignore[arg-type]
