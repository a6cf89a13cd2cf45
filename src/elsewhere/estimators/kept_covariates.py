"""Rows in link space with and without what their covariates explain; and rows to learn from."""

from collections.abc import Hashable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

import elsewhere.covariates
from elsewhere.arrays import Codes
from elsewhere.fitting import Engine
from elsewhere.gaps import GapModel, fit_gaps

ROUNDS = 3  # in which gaps and covariates are fitted in turn
Rows = Float[np.ndarray, "n m"]
Z = Float[np.ndarray, "n q"] | None


def rest_of(
    known: "elsewhere.covariates.Covariates | None", y: Rows, codes: Codes, covariates: Any
) -> tuple[Rows, Z]:
    """(what covariates leave of y, their part of the regression); y itself where none are kept."""
    if known is None:
        if covariates is not None:
            raise ValueError(
                "covariates were given, but the fit has kept none: leave them out, or fit with "
                "covariates that vary."
            )
        return y, None
    z = known.z(covariates, len(y))
    return known.taken_out(y, z, codes), z


def rest_to_fit(
    known: "elsewhere.covariates.Covariates | None", y: Rows, codes: Codes, covariates: Any
) -> tuple[Rows, dict[str, float | None]]:
    """What an engine is fitted to: the rest, without offsets that chance explains.

    The p-values of differences, given covariates, come along.
    """
    rest, z = rest_of(known, y, codes, covariates)
    if known is None or z is None:
        return rest, {}
    from elsewhere.covariates.chance_offsets import without_chance_offsets
    from elsewhere.covariates.chance_shapes import shapes_by_chance

    rest, p_offsets = without_chance_offsets(known, rest, z, y, codes)
    p_scales, p_turns = shapes_by_chance(known, rest, z, codes)
    return rest, {"p_offsets": p_offsets, "p_scales": p_scales, "p_turns": p_turns}


def covariates_and_gaps(
    given: Any, y: Rows, codes: Codes, **asked: Any
) -> tuple["elsewhere.covariates.Covariates | None", GapModel, Rows]:
    """(what covariates explain, what is told of missing entries, the rows with draws in these).

    Entries are told by what covariates leave of the row's others: draws given the domain alone
    would know nothing of covariates, and weaken what these seem to do. So what covariates leave is
    filled in turn, and they are fitted again.
    """
    gaps = fit_gaps(_by_domain(y, codes))
    filled = gaps.filled(y, codes)
    found = fitted_covariates(given, filled, codes, **asked)
    if found is None:
        return None, gaps, filled
    for _ in range(ROUNDS if np.isnan(y).any() else 0):
        z = found.z(given, len(y))
        left = found.taken_out(y, z, codes)
        again = fit_gaps(_by_domain(left, codes)).filled(left, codes)
        filled = np.where(np.isnan(y), found.put_in(again, z, codes), y)
        found = elsewhere.covariates.fit_covariates(given, filled, codes, **asked) or found
    left = found.taken_out(y, found.z(given, len(y)), codes)
    return found, fit_gaps(_by_domain(left, codes)), filled


def _by_domain(rows: Rows, codes: Codes) -> list[Float[np.ndarray, "_ m"]]:
    return [rows[codes == i] for i in range(int(codes.max()) + 1)]


def fitted_covariates(
    given: Any, y: Rows, codes: Codes, *, carried: float, **names: Any
) -> "elsewhere.covariates.Covariates | None":
    """As `fit_covariates`, which is not loaded where there are none."""
    if given is None and 0 <= carried <= 1:
        return None
    return elsewhere.covariates.fit_covariates(given, y, codes, carried=carried, **names)


def whole(known: "elsewhere.covariates.Covariates | None", rest: Rows, z: Z, codes: Codes) -> Rows:
    """y of what covariates leave."""
    return rest if known is None or z is None else known.put_in(rest, z, codes)


def put_in(
    known: "elsewhere.covariates.Covariates | None",
    y: Rows,
    rests: tuple[Rows, Rows],
    z: Z,
    codes: tuple[Codes, Codes],
) -> Rows:
    """y' = y + the change that the moved rest makes: y itself, to the bit, where nothing differs.

    Args:
        known: the covariates, if any are kept.
        y: the rows as they are.
        rests: what covariates leave of them, before and after the move.
        z: their part of the regression.
        codes: the domains of the rows, before and after.
    """
    if known is None:
        return rests[1]
    before, after = (whole(known, r, z, c) for r, c in zip(rests, codes, strict=True))
    return y + (after - before)


def moving(known: "elsewhere.covariates.Covariates | None", rest: Rows, codes: Codes) -> Rows:
    """What of the rest moves along: all of it, unless some was said to be noise."""
    return rest if known is None else known.moving(rest, codes)


def given_covariates(engine: Engine, p_values: dict[str, float | None]) -> Engine:
    """The engine for what covariates leave.

    All of a row moves along, for `fit` says how much does not, and differences were tested with
    covariates in the test.
    """
    names = {field.name for field in fields(engine)} if is_dataclass(engine) else set()
    changed = {"carried": 1.0, **p_values}
    return replace(engine, **{n: v for n, v in changed.items() if n in names})  # type: ignore[type-var]


def rows_to_learn_on(
    learn_on: Any, X: Any, covariates: Any, codes: Codes, domains: Sequence[Hashable]
) -> Bool[np.ndarray, " n"]:
    """Which rows the fit learns from, some of every domain; all where nothing was asked."""
    if learn_on is None:
        return np.ones(len(codes), bool)
    asked = learn_on(X if covariates is None else covariates) if callable(learn_on) else learn_on
    mask = np.asarray(asked)
    if mask.shape != codes.shape or mask.dtype != bool:
        raise ValueError(
            f"learn_on must be one truth value per row, {len(codes)} of them, or a function that "
            f"gives these; got {mask.dtype} of shape {mask.shape}."
        )
    counts = np.bincount(codes[mask], minlength=len(domains))
    if empty := [d for d, count in zip(domains, counts, strict=True) if not count]:
        raise ValueError(
            f"learn_on must leave rows in every domain; {empty} have none. Widen it, or leave "
            "these domains out."
        )
    return mask


def rows_of(y: Rows, asked: Bool[np.ndarray, " n"]) -> Float[np.ndarray, "_ m"]:
    """Some rows; the array itself where these are all."""
    return y if asked.all() else y[asked]


def taken(covariates: Any, rows: Bool[np.ndarray, " n"]) -> Any:
    """The covariates of some rows."""
    if covariates is None:
        return None
    if isinstance(covariates, dict):
        return {name: np.asarray(values)[rows] for name, values in covariates.items()}
    return covariates.loc[rows] if hasattr(covariates, "loc") else np.asarray(covariates)[rows]
