"""Rows of a Ray Data set as if from elsewhere: a saved model on every node of a cluster."""

from collections.abc import Hashable
from os import PathLike
from typing import TYPE_CHECKING, Any

from elsewhere.estimators import DomainCounterfactual

if TYPE_CHECKING:
    from ray.data import Dataset  # pyright: ignore[reportMissingImports]


def counterfactual(
    dataset: "Dataset",
    model: DomainCounterfactual | str | PathLike[str],
    *,
    target: Hashable,
    source: Hashable | None = None,
    fill: bool = False,
    **options: Any,
) -> "Dataset":
    """x_{d→d'} of all rows of a Ray Data set, lazily, batch by batch and node by node.

    Args:
        dataset: rows with the columns of the model.
        model: a fitted estimator of a table, or the file of one.
        target: the domain to move to.
        source: the domain of all rows; None where the column of domains says it.
        fill: whether missing entries are filled.
        options: of `Dataset.map_batches`, as batch_size or num_cpus.
    """
    known = model if isinstance(model, DomainCounterfactual) else DomainCounterfactual.load(model)
    mover = known.mover(target, source, fill=fill)
    return dataset.map_batches(mover.table, batch_format="pyarrow", **options)
