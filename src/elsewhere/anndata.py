"""AnnData in, AnnData out: the answers are one more layer, and nothing is overwritten."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from elsewhere import __version__
from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.support import far

Rows = Float[np.ndarray, "n p"]


def counterfactual(
    adata: Any,
    *,
    key: str,
    target: Hashable,
    layer: str | None = None,
    layer_added: str | None = None,
    keep: Sequence[str] = (),
    estimator: DomainCounterfactual | None = None,
) -> DomainCounterfactual:
    """`adata.layers[layer_added]` = x_{d→target} per observation, d being `adata.obs[key]`.

    Also written: `obs[layer_added + "_supported"]`, whether the answer lies where the target has
    data; `var[layer_added + "_move"]`, the root mean square of what a variable moved by, in its own
    deviations; `uns["elsewhere"][layer_added]`, what was run and found. `X` stays as it is.

    Args:
        adata: an `anndata.AnnData`; sparse counts are made dense.
        key: the column of obs that says where an observation comes from.
        target: the domain that all observations are moved to.
        layer: the layer to read; None is `X`.
        layer_added: the layer to write; None is "as_" and the target.
        keep: columns of obs that stay as they are and whose effects are no difference of domains.
        estimator: what is fitted; None is `DomainCounterfactual()`.

    Returns:
        The fitted estimator.
    """
    added = f"as_{target}" if layer_added is None else layer_added
    _check(adata, key, target, layer, added, keep)
    values = dense(adata.X if layer is None else adata.layers[layer])
    table = pd.DataFrame(values, index=adata.obs_names, columns=adata.var_names)
    domains = adata.obs[key].astype(object)
    given = {"covariates": adata.obs[list(keep)]} if keep else {}
    model = (estimator or DomainCounterfactual()).fit(table, domains, **given)
    moved = model.counterfactual(table, source=domains, target=target, **given)
    answer = np.asarray(moved, float)
    adata.layers[added] = answer
    adata.obs[f"{added}_supported"] = ~far(answer, values[(domains == target).to_numpy()])
    adata.var[f"{added}_move"] = _moves(values, answer)
    adata.uns.setdefault("elsewhere", {})[added] = _run(model, key, target, layer, keep)
    return model


def dense(values: Any) -> Rows:
    """The numbers of an array or of a sparse matrix."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, float)


def _moves(before: Rows, after: Rows) -> Float[np.ndarray, " p"]:
    deviation = before.std(axis=0)
    moved = np.sqrt(((after - before) ** 2).mean(axis=0))
    return moved / np.where(deviation > 0, deviation, 1.0)


def _run(
    model: DomainCounterfactual,
    key: str,
    target: Hashable,
    layer: str | None,
    keep: Sequence[str],
) -> dict[str, Any]:
    """What a reader of the file needs to know, in values that every format can hold."""
    return {
        "version": __version__,
        "key": key,
        "target": str(target),
        "layer": layer or "X",
        "keep": list(keep),
        "difference": model.difference_,
        "notes": list(model.notes_),
    }


def _check(
    adata: Any, key: str, target: Hashable, layer: str | None, added: str, keep: Sequence[str]
) -> None:
    if missing := [name for name in (key, *keep) if name not in adata.obs.columns]:
        raise ValueError(f"obs must have the columns {missing}; it has {list(adata.obs.columns)}.")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"layer must be one of {list(adata.layers)} or None; got {layer!r}.")
    if added in adata.layers:
        raise ValueError(
            f"layer_added must be new; there is a layer {added!r} already. Delete it first, or "
            "choose another name."
        )
    labels = adata.obs[key].dropna().unique().tolist()
    if target not in labels:
        raise ValueError(f"target must be a value of obs[{key!r}], {labels}; got {target!r}.")
