"""One more domain for a fitted model: its own mechanisms, everything else as it was."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.mechanisms import kinds_of_mechanisms
from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.corrected import CorrectedMap
from elsewhere.fitting.moments.one_more import with_domain
from elsewhere.fitting.profile.likelihood import paired
from elsewhere.fitting.read_back import ild_of, linear_mechanisms
from elsewhere.fitting.refine.one_domain import (
    FOLDS,
    cross_fitted,
    latents,
    new_mechanisms,
    noise_log_density,
)
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import FitError, finite_table, needed_rows
from elsewhere.model import ILD
from elsewhere.movers import Mover
from elsewhere.scm import LinearSCM

LEAST_GAIN = 0.003  # nats per row: a gain of own mechanisms that the axes' own error can bring


def add_domain(
    result: FitResult,
    name: Hashable,
    rows: ArrayLike,
    *,
    valid: ArrayLike | None = None,
    parts: Float[np.ndarray, " D"] | None = None,
) -> FitResult:
    """f_new = the shared mechanisms as they are, and least squares for those that differ.

    g and every earlier f_d stay the same arrays, so all earlier answers stay the same numbers, and
    the candidates keep their order. A noise scale that the earlier domains share is kept, too.

    Args:
        result: of a fit with linear mechanisms.
        name: of the new domain.
        rows: its rows [n, m].
        valid: rows for the likelihoods reported; by default those of 5-fold cross-validation.
        parts: for maps by moments, the weights of the other domains in what is expected of it, as
            for `with_domain`.
    """
    if isinstance(result.model, AffineMap | CorrectedMap):
        return _by_moments(result, result.model, name, rows, parts)
    model = ild_of(result.model)
    table = _checked(model, name, rows)
    held = None if valid is None else _of_width("valid", valid, model.m)
    added = [_added(ild_of(c.model), name, table, held) for c in result.candidates]
    count = model.num_domains
    candidates = tuple(
        replace(c, model=a.model, log_likelihood=_joined(c.log_likelihood, a.own.mean(), count))
        for c, a in zip(result.candidates, added, strict=True)
    )
    own = added[0].own
    error = np.hypot(count * result.standard_error, own.std(ddof=1) / np.sqrt(len(own)))
    return replace(
        result,
        candidates=candidates,
        log_likelihood=candidates[0].log_likelihood,
        standard_error=float(error / (count + 1)),
        notes=(*result.notes, *_notes(name, added, candidates)),
        simpler=_simpler(result, name, table),
    )


def _simpler(result: FitResult, name: Hashable, rows: Float[np.ndarray, "n m"]) -> Mover | None:
    """The map by moments with the domain in it, which knows how far answers there may be off."""
    known = result.simpler
    return with_domain(known, name, rows) if isinstance(known, AffineMap) else known


def _by_moments(
    result: FitResult,
    model: AffineMap | CorrectedMap,
    name: Hashable,
    rows: ArrayLike,
    parts: Float[np.ndarray, " D"] | None,
) -> FitResult:
    """The map with the domain in it; any number of rows will do."""
    if name in model.domains:
        raise ValueError(f"name must be new; the fit has {list(model.domains)} already.")
    base = model.base if isinstance(model, CorrectedMap) else model
    base = with_domain(base, name, _of_width("rows", rows, base.m, least=1), parts)
    grown = replace(model, base=base) if isinstance(model, CorrectedMap) else base
    candidate = replace(result.candidates[0], model=grown)
    return replace(result, candidates=(candidate,), simpler=None, doubt=0.0)


@dataclass(frozen=True)
class _Added:
    """A model with the domain in it; its held-out rows under it, and with all mechanisms own."""

    model: ILD
    own: Float[np.ndarray, " n"]
    free: Float[np.ndarray, " n"]


def _added(
    model: ILD,
    name: Hashable,
    rows: Float[np.ndarray, "n m"],
    held: Float[np.ndarray, "v m"] | None,
) -> _Added:
    mechanisms = linear_mechanisms(model)
    if mechanisms is None:
        raise FitError(
            "result must have linear mechanisms, for which a new domain's have a closed form; "
            "this one does not. Fit again with all domains."
        )
    kinds, z = kinds_of_mechanisms(mechanisms), latents(model, rows)[0]
    every = np.full(len(kinds), OWN)
    new = new_mechanisms(mechanisms, kinds, z)
    if held is None:
        own, free = (cross_fitted(mechanisms, kind, z) for kind in (kinds, every))
        log_det = latents(model, rows)[1]
    else:
        z_held, log_det = latents(model, held)
        own, free = (
            noise_log_density(new_mechanisms(mechanisms, kind, z), z_held)
            for kind in (kinds, every)
        )
    parts = (new.weights[0], new.scales[0], new.biases[0])
    scm = LinearSCM(*(jnp.asarray(part, model.dtype) for part in parts))
    whole = ILD(model.mixing, [*model.scms, scm], [*model.domains, name])
    return _Added(whole, own + log_det, free + log_det)


def _joined(before: float, new: float, count: int) -> float:
    return float((count * before + new) / (count + 1))


def _notes(
    name: Hashable, added: list[_Added], candidates: tuple[Candidate, ...]
) -> tuple[str, ...]:
    notes = []
    gain, error = paired([added[0].free], [added[0].own])
    if gain > LEAST_GAIN + 2 * error:
        notes.append(
            f"domain {name!r} contradicts the shared mechanisms: with all its own, its held-out "
            f"rows gain {gain:.3f} ± {error:.3f} nats each. Fit again with all domains."
        )
    best = int(np.argmax([a.own.mean() for a in added]))
    gain, error = paired([added[best].own], [added[0].own])
    if gain > LEAST_GAIN + 2 * error:
        notes.append(
            f"domain {name!r} prefers candidate {best} ({candidates[best].description}) by "
            f"{gain:.3f} ± {error:.3f} nats per row; the order of the candidates is kept."
        )
    return tuple(notes)


def _checked(model: ILD, name: Hashable, rows: ArrayLike) -> Float[np.ndarray, "n m"]:
    if name in model.domains:
        raise ValueError(
            f"name must be new; the model has a domain {name!r} already. Choose another name."
        )
    table = _of_width("rows", rows, model.m)
    needed = -(-needed_rows(model.m) * FOLDS // (FOLDS - 1))
    if len(table) < needed:
        raise FitError(
            f"rows must be at least {needed} for {model.m} columns; got {len(table)}. "
            "Collect more rows, or merge this domain with another."
        )
    return table


def _of_width(name: str, rows: ArrayLike, m: int, least: int = 2) -> Float[np.ndarray, "n m"]:
    table = finite_table(name, rows)
    if table.shape[1] != m or len(table) < least:
        raise ValueError(
            f"{name} must have at least {least} rows and the model's {m} columns; got "
            f"{table.shape}."
        )
    return table
