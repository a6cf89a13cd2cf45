"""The codec of maps by moments, which are plain NumPy arrays in float64."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.corrected import CorrectedMap, Correction
from elsewhere.fitting.moments.effects import Effects
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.labels import domains_from_json, to_json
from elsewhere.saving.rules import Rule, fields, listed, number, whole, wrong
from elsewhere.saving.shapes import LARGEST, Axes, check_arrays

_LEAST_UNIT = 1e-30
_LARGEST_LOG = 50.0  # of a scale or a turn, whose exponential is taken
_ARRAYS = {
    "centre": Axes("p"),
    "unit": Axes("p", _LEAST_UNIT),
    "codes": Axes("p r", -1.000001, 1.000001),
    "code_variances": Axes("r", 0.0),
    "reliability": Axes("r", -1e-9, 1 + 1e-9),
    "own": Axes("p", 0.0),
}
_CORRECTION = {
    "offset": Axes("p"),
    "slope": Axes("p"),
    "weights": Axes("q p"),
    "inputs": Axes("q p"),
    "spread": Axes("p", 0.0),
}
_EFFECTS = {
    "offsets": ("p", LARGEST),
    "scales": ("p", _LARGEST_LOG),
    "turns": ("r r", _LARGEST_LOG),
}


def _places(count: int) -> Rule:
    return listed(whole(0, 10**9), count, count)


_EFFECT = fields({"arrays": _places(3), "p_value": number(0.0, 1.0)})
_MAP = fields(
    {
        "carried": number(0.0, 1.0),
        "arrays": _places(len(_ARRAYS)),
        "effects": listed(_EFFECT, len(_EFFECTS), len(_EFFECTS)),
    }
)


def _map(model: AffineMap, writer: Writer) -> dict[str, Any]:
    return {
        "domains": [to_json(d) for d in model.domains],
        "carried": model.carried,
        "arrays": writer.keep([getattr(model, name) for name in _ARRAYS]),
        "effects": [_effects(getattr(model, name), writer) for name in _EFFECTS],
    }


def _effects(effects: Effects, writer: Writer) -> dict[str, Any]:
    arrays = writer.keep([effects.means, effects.variances, effects.weights])
    return {"arrays": arrays, "p_value": effects.p_value}


def _check_map(content: Any, reader: Reader) -> int:
    _MAP(content, "AffineMap")
    known = {"D": len(domains_from_json(content.get("domains")))}
    arrays = reader.taken_once(content["arrays"])
    known |= check_arrays(arrays, _ARRAYS)
    _check_orthonormal(arrays[2])
    for (axes, most), one in zip(_EFFECTS.values(), content["effects"], strict=True):
        rules = {
            "means": Axes(f"D {axes}", -most, most),
            "variances": Axes(f"a {axes}", 0.0),
            "weights": Axes("a D"),
        }
        check_arrays(reader.taken_once(one["arrays"]), rules, known)
    return known["p"]


def _check_orthonormal(codes: np.ndarray) -> None:
    if codes.size and not np.abs(codes.T @ codes - np.eye(codes.shape[1])).max() < 1e-6:
        raise ValueError("codes must be orthonormal; they are not.")


def _map_back(content: Mapping[str, Any], reader: Reader) -> AffineMap:
    parts: dict[str, Any] = dict(zip(_ARRAYS, reader.taken(content["arrays"]), strict=True))
    effects = [
        Effects(*reader.taken(e["arrays"]), p_value=float(e["p_value"])) for e in content["effects"]
    ]
    parts |= dict(zip(_EFFECTS, effects, strict=True))
    return AffineMap(
        domains=domains_from_json(content["domains"]),
        carried=float(content["carried"]),
        **parts,
    )


def _corrected(model: CorrectedMap, writer: Writer) -> dict[str, Any]:
    corrections = [
        {
            "between": [c.source, c.target],
            "arrays": writer.keep([getattr(c, a) for a in _CORRECTION]),
        }
        for c in model.corrections
    ]
    return {"base": writer.part(model.base), "corrections": corrections}


def _check_corrected(content: Any, reader: Reader) -> int:
    if not isinstance(content, dict) or [*content.get("base", ())] != ["AffineMap"]:
        raise wrong("CorrectedMap", "an object whose base is an AffineMap", content)
    p = reader.check(content["base"])
    last = len(content["base"]["AffineMap"]["domains"]) - 1
    _corrections(last)(content.get("corrections"), "corrections")
    for one in content["corrections"]:
        check_arrays(reader.taken_once(one["arrays"]), _CORRECTION, {"p": p or 0})
    return p or 0


def _corrections(last: int) -> Rule:
    between = listed(whole(0, last), 2, 2)
    return listed(fields({"between": between, "arrays": _places(len(_CORRECTION))}))


def _corrected_back(content: Mapping[str, Any], reader: Reader) -> CorrectedMap:
    def one(saved: Mapping[str, Any]) -> Correction:
        ends: Sequence[int] = saved["between"]
        return Correction(ends[0], ends[1], *reader.taken(saved["arrays"]))

    return CorrectedMap(reader.part(content["base"]), tuple(map(one, content["corrections"])))


register_codec(CorrectedMap, "CorrectedMap", _corrected, _corrected_back, _check_corrected)
register_codec(AffineMap, "AffineMap", _map, _map_back, _check_map)
