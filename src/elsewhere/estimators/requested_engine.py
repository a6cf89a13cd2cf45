"""The engine that an estimator's arguments ask for."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from elsewhere.fitting import Engine, FitResult, Options
from elsewhere.fitting.engines import engine_named, engine_names


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


def _means_gradient(mixing: str, named: Engine, options: Mapping[str, Any]) -> bool:
    if mixing not in ("real_nvp", "spline") or not set(options) - _names(named):
        return False
    return set(options) <= _names(engine_named("gradient")) - {"mixing"}


def _names(engine: Engine) -> set[str]:
    return {field.name for field in fields(engine)}  # type: ignore[arg-type]
