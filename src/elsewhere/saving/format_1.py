"""Headers of the first format as those of today's, so that its files load for ever."""

from collections.abc import Mapping
from typing import Any

IMAGES, TABLES = "ImageDomainCounterfactual", "DomainCounterfactual"
_FLOWS = ("real_nvp", "spline")
_NOT_OF_THE_FLOW = ("spread", "slope")  # settings of a mixing that its couplings do not know


def upgraded(header: Mapping[str, Any]) -> dict[str, Any]:
    """Models that describe themselves, where the first format left that to the settings."""
    if header.get("kind") == IMAGES:
        return {**header, "model": {"ImageILD": header["model"]}}
    if "result" not in header:
        return dict(header)
    flow = _flow(header["mixing"], header["settings"]["options"])
    result = header["result"]
    candidates = [
        {**c, "model": {"ILD": _model(c["model"], header["domains"], flow)}}
        for c in result["candidates"]
    ]
    newer = {**result, "candidates": candidates, "is_bound": False, "engine": None}
    return {**header, "kind": TABLES, "result": newer}


def _flow(mixing: str, options: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if mixing not in _FLOWS:
        return None
    given = ((options or {}).get("gradient") or {}).get("mixing_settings") or {}
    known = {n: v for n, v in given.items() if n not in _NOT_OF_THE_FLOW}
    return {"flow": mixing, "settings": known, "matrices": False}


def _model(
    saved: Mapping[str, Any], domains: list[Any], flow: dict[str, Any] | None
) -> dict[str, Any]:
    scms = [_part(scm, flow) for scm in saved["scms"]]
    return {"mixing": _part(saved["mixing"], flow), "scms": scms, "domains": domains}


def _part(part: Mapping[str, Any], flow: dict[str, Any] | None) -> dict[str, Any]:
    ((name, content),) = part.items()
    if name == "Chain":
        return {name: [_part(inner, flow) for inner in content]}
    if name == "Invert":
        return {name: _part(content, flow)}
    if name == "Flow" and flow is not None:
        return {"Couplings": {**flow, "m": content[0], "arrays": content[1]}}
    return dict(part)
