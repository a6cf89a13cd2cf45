"""From rows, their domains and their covariates to what covariates do in every domain."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
from jaxtyping import Float

from elsewhere.arrays import Codes
from elsewhere.covariates.choose import chosen_basis
from elsewhere.covariates.columns import Column, as_frame, column_of, read_column
from elsewhere.covariates.confounding import Confounding, check_separable, confounding
from elsewhere.covariates.design import Basis, Design, whitened
from elsewhere.covariates.effects import (
    CovariateEffects,
    effects_with_gains,
    own_effects,
    shared_effects,
)
from elsewhere.covariates.evidence import gains_by_chance, own_by_chance
from elsewhere.covariates.model import Covariates, seen_values
from elsewhere.covariates.offsets import means_decide
from elsewhere.covariates.spread import spread_effects
from elsewhere.covariates.statistics import CovariateRows, Within, covariate_rows
from elsewhere.covariates.words import notes_of
from elsewhere.fitting.moments.effects import means_by_chance
from elsewhere.fitting.moments.permutation import LEVEL

Rows = Float[np.ndarray, "n p"]


def fit_covariates(
    covariates: Any,
    y: Rows,
    codes: Codes,
    *,
    domain: Hashable = None,
    columns: Sequence[Hashable] | None = None,
    carried: float = 1.0,
) -> Covariates | None:
    """What covariates explain of the rows y; None where there are none.

    Args:
        covariates: numbers and categories, one row per row of y.
        y: rows in link space.
        codes: their domains, 0, 1, ….
        domain: what domains are called, for messages.
        columns: what the columns of y are called, likewise.
        carried: the share of what covariates do not explain that moves along with a row.
    """
    if not 0 <= carried <= 1:
        raise ValueError(f"carried must be in 0..1; got {carried}.")
    if covariates is None:
        return None
    frame = as_frame(covariates, len(y))
    read = {name: read_column(column_of(frame, name)) for name in frame.columns}
    kept = _varying(read)
    names = list(range(y.shape[1])) if columns is None else list(columns)
    first = Basis(tuple(kept), tuple((i,) for i in range(len(kept))))
    check_separable(first, frame, y, codes, domain, names)
    design = whitened(chosen_basis(kept, frame, y, codes), frame, codes)
    sample = covariate_rows(design.rows(frame), y, codes)
    effects, p_values = _chosen(sample)
    seen_in = tuple(seen_values(kept, part) for part in _by_domain(frame, codes))
    mixed = confounding(first, frame, sample.z, codes, sample.seen)
    found = _explained(design, effects, sample, carried, mixed, seen_in)
    constant = [name for name, column in read.items() if column is None]
    return replace(found, notes=notes_of(found, p_values, constant, domain))


def _varying(read: Mapping[Hashable, Column | None]) -> list[Column]:
    """The columns that vary; an error where none does."""
    kept = [column for column in read.values() if column is not None]
    if not kept:
        raise ValueError(
            f"covariates must vary among the rows learnt from; {list(read)} never do. Leave them "
            "out."
        )
    return kept


def _by_domain(frame: pd.DataFrame, codes: Codes) -> list[pd.DataFrame]:
    return [cast(pd.DataFrame, frame[codes == i]) for i in range(int(codes.max()) + 1)]


def _explained(
    design: Design,
    effects: CovariateEffects,
    sample: CovariateRows,
    carried: float,
    mixed: Confounding,
    seen_in: tuple[tuple[tuple[Any, ...], ...], ...],
) -> Covariates:
    """What covariates do to means and spreads, and where the domains are without them."""
    seen = sample.seen
    stretch = _stretch(seen, effects)
    means = _rest_means(seen, effects, stretch)
    found = Covariates(
        design,
        effects,
        stretch,
        spread_effects(sample, effects),
        means,
        seen.z_means,
        len(sample.y),
        carried,
        means,
        mixed,
        seen_in,
    )
    return replace(found, centres=_centres(found, sample))


def _chosen(sample: CovariateRows) -> tuple[CovariateEffects, tuple[float, float]]:
    """Shared effects; with gains, and with effects of the domains' own, where chance is no reason.

    The p-values of gains and of own effects come along.
    """
    seen = sample.seen
    found = shared_effects(seen)
    p_gains = gains_by_chance(sample, found)
    if p_gains <= LEVEL:
        found = effects_with_gains(seen)
    p_own = own_by_chance(sample, found)
    if p_own <= LEVEL:
        found = own_effects(seen, found, gains=p_gains <= LEVEL)
    return replace(found, shared=means_decide(seen, found)), (p_gains, p_own)


def _stretch(seen: Within, effects: CovariateEffects) -> Float[np.ndarray, "D p"]:
    """The gains, if what covariates leave varies less between domains once they are taken out."""
    logs = 0.5 * np.log(np.maximum(seen.left(effects.coefficients), 1e-300))
    logs -= 0.5 * np.log(seen.freedom)[:, None]
    plain, stretched = (
        (seen.counts[:, None] * (part - part.mean(axis=0)) ** 2).sum()
        for part in (logs, logs - np.log(effects.gains))
    )
    return effects.gains if stretched < plain else np.ones_like(effects.gains)


def _centres(found: Covariates, sample: CovariateRows) -> Float[np.ndarray, "D p"]:
    """The domains' means if these differ by more than chance, else the mean of all."""
    codes = sample.codes
    means, counts = found.rest_means, np.bincount(codes)[:, None]
    common = np.broadcast_to((counts * means).sum(axis=0) / counts.sum(), means.shape)
    alike = replace(found, centres=common)
    if not found.spread.any():
        return alike.centres
    rest = alike.taken_out(sample.y, sample.z, codes)
    differ = means_by_chance([rest[codes == i] for i in range(len(means))]) <= LEVEL
    return means if differ else alike.centres


def _rest_means(
    seen: Within, effects: CovariateEffects, stretch: Float[np.ndarray, "D p"]
) -> Float[np.ndarray, "D p"]:
    explained = np.einsum("da,daj->dj", seen.z_means, effects.coefficients)
    return (seen.y_means - explained) / stretch
