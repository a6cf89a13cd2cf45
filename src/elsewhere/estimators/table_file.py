"""What of a fitted estimator goes into the file, and the estimator from it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from typing import Any

import jax
import numpy as np

from elsewhere.estimators.columns import Columns
from elsewhere.estimators.link_space import LinkSpace
from elsewhere.estimators.links import Link
from elsewhere.fitting import Candidate, FitResult, Options, PathPoint
from elsewhere.saving.container import needs_64_bit
from elsewhere.saving.labels import from_json, to_json
from elsewhere.saving.models import FLOWS, Flow, from_parts, to_parts

_OF_A_RESULT = ("k", "log_likelihood", "standard_error", "tolerance", "principle", "notes")
_OF_A_CANDIDATE = ("log_likelihood", "preference", "description")
_NOT_OF_THE_FLOW = ("spread", "slope")  # settings of a mixing that its couplings do not know


def describe(estimator: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays of a fitted estimator."""
    arrays: list[np.ndarray] = []
    flow = _flow(estimator.mixing_, estimator.options)
    header = {
        "made_by": f"elsewhere {version('elsewhere')}",
        "settings": _settings(estimator),
        "features": int(estimator.n_features_in_),
        "domains": [to_json(d) for d in estimator.domains_],
        "domain_name": to_json(estimator.domain_name_),
        "mixing": estimator.mixing_,
        "columns": _columns(estimator.space_.columns),
        "links": [_link(link) for link in estimator.space_.links],
        "notes": list(estimator.space_.notes),
        "result": _result(estimator.result_, arrays, flow),
    }
    return header, arrays


def restore(
    header: Mapping[str, Any], arrays: Sequence[np.ndarray]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(constructor's arguments, fitted attributes) from what `describe` returned."""
    _check_precision(arrays)
    settings = _settings_back(header["settings"])
    domains = tuple(from_json(d) for d in header["domains"])
    columns = _columns_back(header["columns"])
    links = tuple(_link_back(link) for link in header["links"])
    flow = _flow(header["mixing"], settings["options"])
    with jax.enable_x64(needs_64_bit(arrays)):
        result = _result_back(header["result"], arrays, flow, domains)
    _check_widths(columns, links, result, int(header["features"]))
    fitted = {
        "n_features_in_": int(header["features"]),
        "domains_": domains,
        "domain_name_": from_json(header["domain_name"]),
        "mixing_": str(header["mixing"]),
        "space_": LinkSpace(columns, links, tuple(header["notes"])),
        "result_": result,
    }
    if columns.named and all(isinstance(name, str) for name in columns.names):
        fitted["feature_names_in_"] = np.array(columns.names, dtype=object)
    return settings, fitted


def _check_precision(arrays: Sequence[np.ndarray]) -> None:
    if needs_64_bit(arrays) and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        raise ValueError(
            "the model was fitted in float64, and JAX computes in float32 here: call "
            "jax.config.update('jax_enable_x64', True) before loading it."
        )


def _check_widths(columns: Columns, links: Sequence[Link], result: FitResult, width: int) -> None:
    widths = {width, len(columns.names), len(columns.dtypes), len(columns.constant)}
    modelled = {len(columns.inside), len(links), *(c.model.m for c in result.candidates)}
    if len(widths) > 1 or len(modelled) > 1 or not result.candidates:
        raise ValueError("columns, links and models do not fit each other.")


def _flow(mixing: str, options: Any) -> Flow | None:
    if mixing not in FLOWS:
        return None
    given = options.get("mixing_settings") if isinstance(options, Mapping) else None
    known = {n: v for n, v in (given or {}).items() if n not in _NOT_OF_THE_FLOW}
    return Flow(mixing, known)


def _settings(estimator: Any) -> dict[str, Any]:
    options, links, seed = estimator.options, estimator.links, estimator.random_state
    return {
        "k": estimator.k if estimator.k in ("auto", None) else int(estimator.k),
        "mixing": estimator.mixing,
        "slope": float(estimator.slope),
        "random_state": int(seed) if isinstance(seed, int | np.integer) else None,
        "links": [[to_json(name), spec] for name, spec in links.items()]
        if isinstance(links, Mapping)
        else links,
        "options": {"search": asdict(options)}
        if isinstance(options, Options)
        else {"gradient": dict(options)}
        if isinstance(options, Mapping)
        else None,
    }


def _settings_back(saved: Mapping[str, Any]) -> dict[str, Any]:
    links, options = saved["links"], saved["options"]
    if isinstance(links, list):
        links = {from_json(n): tuple(s) if isinstance(s, list) else s for n, s in links}
    if options is not None:
        options = options.get("gradient") or Options(**options["search"])
    names = ("k", "mixing", "slope", "random_state")
    return {name: saved[name] for name in names} | {"links": links, "options": options}


def _columns(columns: Columns) -> dict[str, Any]:
    return {
        "names": [to_json(name) for name in columns.names],
        "dtypes": [dtype.name for dtype in columns.dtypes],
        "named": columns.named,
        "constant": list(columns.constant),
    }


def _columns_back(saved: Mapping[str, Any]) -> Columns:
    return Columns(
        tuple(from_json(name) for name in saved["names"]),
        tuple(np.dtype(str(name)) for name in saved["dtypes"]),
        bool(saved["named"]),
        tuple(None if value is None else float(value) for value in saved["constant"]),
    )


def _link(link: Link) -> dict[str, Any]:
    """Its fields; a bound at infinity is left out, for JSON has no such number."""
    return {name: value for name, value in asdict(link).items() if not _infinite(value)}


def _link_back(saved: Mapping[str, Any]) -> Link:
    return Link(**{f.name: saved[f.name] for f in fields(Link) if f.name in saved})


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _result(result: FitResult, arrays: list[np.ndarray], flow: Flow | None) -> dict[str, Any]:
    return {name: getattr(result, name) for name in _OF_A_RESULT} | {
        "path": [asdict(point) for point in result.path],
        "candidates": [
            {name: getattr(c, name) for name in _OF_A_CANDIDATE}
            | {"model": to_parts(c.model, arrays, flow)}
            for c in result.candidates
        ],
    }


def _result_back(
    saved: Mapping[str, Any],
    arrays: Sequence[np.ndarray],
    flow: Flow | None,
    domains: tuple[Any, ...],
) -> FitResult:
    candidates = tuple(
        Candidate(
            from_parts(c["model"], arrays, flow, domains),
            **{name: c[name] for name in _OF_A_CANDIDATE},
        )
        for c in saved["candidates"]
    )
    plain: dict[str, Any] = {name: saved[name] for name in _OF_A_RESULT}
    plain["notes"] = tuple(saved["notes"])
    path = tuple(PathPoint(**point) for point in saved["path"])
    return FitResult(candidates, **plain, path=path)
