"""What of a fitted estimator goes into the file, and the estimator from it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib import import_module
from typing import Any

import numpy as np

from elsewhere.estimators.base import seed_of
from elsewhere.estimators.columns import Columns
from elsewhere.estimators.link_space import LinkSpace
from elsewhere.estimators.links import Link
from elsewhere.estimators.table_header import MISSING, check_header
from elsewhere.estimators.unread_result import UnreadResult
from elsewhere.fitting import Engine, FitResult, Mover, Options
from elsewhere.precision import computes_in_64_bit
from elsewhere.saving import (
    Reader,
    Writer,
    engine_back,
    engine_parts,
    needs_64_bit,
    result_parts,
)
from elsewhere.saving.labels import domains_from_json, from_json, to_json


def describe(estimator: Any) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays of a fitted estimator."""
    writer, kept = Writer(), estimator.covariates_
    _know_covariates(kept)
    header = {
        "settings": _settings(estimator),
        "float64": _in_64_bit(estimator.result_),
        "features": int(estimator.n_features_in_),
        "domains": [to_json(d) for d in estimator.domains_],
        "domain_name": to_json(estimator.domain_name_),
        "mixing": estimator.mixing_,
        "columns": _columns(estimator.space_.columns),
        "links": [_link(link) for link in estimator.space_.links],
        "notes": list(estimator.space_.notes),
        "missing_text": list(estimator.missing_text_),
        "carried": [[to_json(name), why] for name, why in estimator.carried_.items()],
        "levels": [
            [to_json(name), [to_json(v) for v in values]]
            for name, values in estimator.space_.levels.items()
        ],
        "result": result_parts(estimator.result_, writer),
        "covariates": None if kept is None else writer.part(kept),
        "gaps": None if estimator.gaps_ is None else writer.part(estimator.gaps_),
        "gaps_given_covariates": True,
    }
    return header, writer.arrays


def check_file(header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> Reader:
    """What reads the arrays, if header and arrays make an estimator; none is built."""
    reader = Reader(arrays)
    _know_covariates(header.get("covariates"))
    check_header(header, reader)
    return reader


def restore(
    header: Mapping[str, Any], arrays: Sequence[np.ndarray], *, any_precision: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(constructor's arguments, fitted attributes) from what `describe` returned.

    A model in float64 asks for a session in float64, unless its rows are only to be moved.
    """
    reader = check_file(header, arrays)
    doubled = bool(header.get("float64", needs_64_bit(arrays)))
    if not any_precision:
        _check_precision(doubled)
    settings = _settings_back(header["settings"])
    domains = domains_from_json(header["domains"])
    columns = _columns_back(header["columns"])
    settings["sums"] = {total: list(parts) for total, parts in columns.sums} or None
    links = tuple(_link_back(link) for link in header["links"])
    unread = UnreadResult(header["result"], reader, doubled)
    result = None if unread.movers else unread.read()
    kept, gaps = (header.get(name) for name in ("covariates", "gaps"))  # older files have none
    covariates = None if kept is None else reader.part(kept)
    missing = None if gaps is None else reader.part(gaps)
    if covariates is not None and not header.get("gaps_given_covariates"):
        missing = None  # an older file's, which know nothing of covariates
    _check_domains(domains, _models(unread, result))
    if covariates is not None and len(covariates.seen) != len(domains):
        raise ValueError(f"covariates must know {len(domains)} domains; they do not.")
    _check_gaps(missing, len(domains), len(links))
    fitted = {
        "n_features_in_": int(header["features"]),
        "domains_": domains,
        "domain_name_": from_json(header["domain_name"]),
        "mixing_": str(header["mixing"]),
        "space_": LinkSpace(columns, links, tuple(header["notes"]), _levels_back(header)),
        "covariates_": covariates,
        "gaps_": missing,
        "missing_text_": tuple(map(str, header.get("missing_text", ()))),
        "carried_": {from_json(name): why for name, why in header.get("carried", ())},
    }
    if columns.named and all(isinstance(name, str) for name in columns.names):
        fitted["feature_names_in_"] = np.array(columns.names, dtype=object)
    fitted |= {"unread_": unread} if result is None else {"result_": result}
    return settings, fitted


def _models(unread: UnreadResult, result: FitResult | None) -> list[Mover]:
    return [*unread.movers] if result is None else [c.model for c in result.candidates]


def _in_64_bit(result: FitResult) -> bool:
    """Whether JAX computes some model in float64; a model in NumPy does not ask."""
    return any(getattr(c.model, "dtype", None) == np.float64 for c in result.candidates)


def _know_covariates(part: Any) -> None:
    """Register the codec of covariates, where there are any."""
    if part is not None:
        import_module("elsewhere.covariates.file")


def _check_precision(doubled: bool) -> None:
    if doubled and not computes_in_64_bit():
        raise ValueError(
            "the model was fitted in float64, and JAX computes in float32 here: call "
            "jax.config.update('jax_enable_x64', True) before loading it."
        )


def _check_domains(domains: tuple[Any, ...], models: Sequence[Mover]) -> None:
    if any(tuple(model.domains) != domains for model in models):
        raise ValueError("the domains of the header and of its models are not the same.")


def _check_gaps(gaps: Any, domains: int, columns: int) -> None:
    if gaps is not None and gaps.means.shape != (domains, columns):
        raise ValueError("the model of missing values does not fit the domains and columns.")


def _settings(estimator: Any) -> dict[str, Any]:
    options, links, columns = estimator.options, estimator.links, estimator.columns
    return {
        "k": estimator.k if estimator.k in ("auto", None) else int(estimator.k),
        "mixing": {"engine": engine_parts(estimator.mixing)}
        if isinstance(estimator.mixing, Engine)
        else estimator.mixing,
        "slope": float(estimator.slope),
        "random_state": seed_of(estimator.random_state),
        "links": [[to_json(name), spec] for name, spec in links.items()]
        if isinstance(links, Mapping)
        else links,
        "options": {"search": asdict(options)}
        if isinstance(options, Options)
        else {"gradient": dict(options)}
        if isinstance(options, Mapping)
        else None,
        "columns": columns if isinstance(columns, str) else [to_json(name) for name in columns],
    }


def _settings_back(saved: Mapping[str, Any]) -> dict[str, Any]:
    links, options = saved["links"], saved["options"]
    if isinstance(links, list):
        links = {from_json(n): tuple(s) if isinstance(s, list) else s for n, s in links}
    if options is not None:
        options = options.get("gradient") or Options(**options["search"])
    mixing = saved["mixing"]
    if isinstance(mixing, Mapping):
        mixing = engine_back(mixing["engine"])
    plain = {name: saved[name] for name in ("k", "slope", "random_state")}
    columns = saved.get("columns", "auto")
    columns = columns if isinstance(columns, str) else [from_json(name) for name in columns]
    return plain | {"mixing": mixing, "links": links, "options": options, "columns": columns}


def _columns(columns: Columns) -> dict[str, Any]:
    return {
        "names": [to_json(name) for name in columns.names],
        "dtypes": [dtype.name for dtype in columns.dtypes],
        "named": columns.named,
        "sums": [[to_json(t), [to_json(p) for p in parts]] for t, parts in columns.sums],
        "constant": [MISSING if v is not None and math.isnan(v) else v for v in columns.constant],
    }


def _columns_back(saved: Mapping[str, Any]) -> Columns:
    return Columns(
        tuple(from_json(name) for name in saved["names"]),
        tuple(np.dtype(name) for name in saved["dtypes"]),
        bool(saved["named"]),
        tuple(None if value is None else float(value) for value in saved["constant"]),
        tuple((from_json(t), tuple(map(from_json, parts))) for t, parts in saved.get("sums", ())),
    )


def _link(link: Link) -> dict[str, Any]:
    """Its fields; a bound at infinity is left out, because JSON has no such number."""
    return {name: value for name, value in asdict(link).items() if not _infinite(value)}


def _link_back(saved: Mapping[str, Any]) -> Link:
    parts: dict[str, Any] = {f.name: saved[f.name] for f in fields(Link) if f.name in saved}
    parts["cuts"] = tuple(map(float, parts.get("cuts", ())))
    return Link(**parts)


def _levels_back(header: Mapping[str, Any]) -> dict[Any, tuple[Any, ...]]:
    saved = header.get("levels", [])
    return {from_json(name): tuple(from_json(v) for v in values) for name, values in saved}


def _infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)
