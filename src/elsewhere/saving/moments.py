"""The codec of maps by moments, which are plain NumPy arrays in float64."""

from collections.abc import Mapping
from typing import Any

from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.corrected import CorrectedMap, Correction
from elsewhere.fitting.moments.effects import Effects
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.labels import from_json, to_json

_ARRAYS = ("centre", "unit", "codes", "code_variances", "reliability", "own")
_CORRECTION = ("offset", "slope", "weights", "seen", "spread")
_EFFECTS = ("offsets", "scales", "turns")


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


def _map_back(content: Mapping[str, Any], reader: Reader) -> AffineMap:
    arrays = dict(zip(_ARRAYS, reader.taken(content["arrays"]), strict=True))
    effects = [
        Effects(*reader.taken(e["arrays"]), p_value=float(e["p_value"])) for e in content["effects"]
    ]
    return AffineMap(
        domains=tuple(from_json(d) for d in content["domains"]),
        carried=float(content["carried"]),
        **arrays,
        **dict(zip(_EFFECTS, effects, strict=True)),
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


def _corrected_back(content: Mapping[str, Any], reader: Reader) -> CorrectedMap:
    corrections = [
        Correction(int(c["between"][0]), int(c["between"][1]), *reader.taken(c["arrays"]))
        for c in content["corrections"]
    ]
    return CorrectedMap(reader.part(content["base"]), tuple(corrections))


register_codec(CorrectedMap, "CorrectedMap", _corrected, _corrected_back)
register_codec(AffineMap, "AffineMap", _map, _map_back)
