"""The codec of what rows tell of their missing entries."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from elsewhere.gaps import GapModel
from elsewhere.gaps.conditional import FactorCovariance, FullCovariance
from elsewhere.saving.codec import Reader, Writer, register_codec


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
    domains, columns = means.shape
    if form == "factors":
        loadings, own, scales = rest
        _check(scales.shape == means.shape and loadings.shape[0] == columns == len(own))
        every = tuple(FactorCovariance(loadings, own, scale) for scale in scales)
    else:
        (matrices,) = rest
        _check(matrices.shape == (domains, columns, columns))
        every = tuple(FullCovariance(matrix) for matrix in matrices)
    _check(counts.shape == means.shape and rows.shape == (domains,))
    _check(all(np.isfinite(array).all() for array in (means, counts, rows, *rest)))
    return GapModel(means, every, counts, rows)


def _check(fits: bool) -> None:
    if not fits:
        raise ValueError("the arrays of the model of missing values do not fit each other.")


register_codec(GapModel, "GapModel", _gaps, _gaps_back)
