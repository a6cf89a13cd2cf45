"""The codec of models of missing entries."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.gaps import GapModel
from elsewhere.gaps.conditional import FactorCovariance, FullCovariance
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.rules import wrong
from elsewhere.saving.shapes import LARGEST, Axes, check_arrays

ROUNDING = 1e-6  # of a correlation matrix's least eigenvalue


def _gaps(model: GapModel, writer: Writer) -> dict[str, Any]:
    first = model.covariances[0]
    shared = [model.means, model.counts, model.rows]
    if isinstance(first, FactorCovariance):
        scales = np.stack([c.scale for c in model.covariances])  # type: ignore[attr-defined]
        return {"factors": writer.keep([*shared, first.loadings, first.own, scales])}
    matrices = np.stack([c.matrix for c in model.covariances])  # type: ignore[attr-defined]
    return {"matrices": writer.keep([*shared, matrices])}


def _gaps_back(content: Mapping[str, Any], reader: Reader) -> GapModel:
    ((form, places),) = content.items()
    means, counts, rows, *rest = reader.taken(places)
    if form == "factors":
        loadings, own, scales = rest
        every = tuple(FactorCovariance(loadings, own, scale) for scale in scales)
    else:
        every = tuple(FullCovariance(matrix) for matrix in rest[0])
    return GapModel(means, every, counts, rows)


def _check(content: Any, reader: Reader) -> int:
    """The number of columns, if the arrays make a model."""
    if not isinstance(content, dict) or len(content) != 1 or {*content} - {*_FORMS}:
        raise wrong("GapModel", f"an object with one of {list(_FORMS)}", content)
    ((form, places),) = content.items()
    arrays = reader.taken_once(places)
    lengths = check_arrays(arrays, _FORMS[form])
    if (arrays[1] > arrays[2][:, None]).any():
        raise wrong("counts of entries seen", "at most those of rows", float(arrays[1].max()))
    if form == "matrices":
        for matrix in arrays[-1]:
            _check_covariance(matrix)
    return lengths["p"]


def _check_covariance(matrix: Float[np.ndarray, "p p"]) -> None:
    unit = np.sqrt(np.diag(matrix))
    if not unit.all():
        raise wrong("a covariance", "positive on its diagonal", float(unit.min()))
    least = float(np.linalg.eigvalsh(matrix / np.outer(unit, unit)).min())
    if not np.allclose(matrix, matrix.T) or least < -ROUNDING:
        raise wrong("a covariance", "symmetric, with no negative variance", least)


_SHARED = {"means": Axes("D p"), "counts": Axes("D p", 0.0), "rows": Axes("D", 1.0)}
_FORMS = {
    "factors": _SHARED
    | {"loadings": Axes("p r"), "own": Axes("p", 1e-12), "scales": Axes("D p", 1e-12)},
    "matrices": _SHARED | {"matrices": Axes("D p p", -LARGEST)},
}

register_codec(GapModel, "GapModel", _gaps, _gaps_back, _check)
