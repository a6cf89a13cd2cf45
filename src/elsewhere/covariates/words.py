"""What covariates explain, and what they leave open, in plain words."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from elsewhere.covariates.columns import GAP, Category, Number
from elsewhere.covariates.confounding import Confounding
from elsewhere.fitting.moments.permutation import LEVEL

if TYPE_CHECKING:
    from elsewhere.covariates.model import Covariates

NONE = 1.05  # times as large a standard error, below which it is as large
NOTICEABLE = 1.25  # times as large a standard error


def notes_of(
    found: "Covariates",
    p_values: tuple[float, float],
    constant: Sequence[Hashable],
    domain: Hashable,
) -> tuple[str, ...]:
    """What was kept and how, what differs between domains, and confounding."""
    site = "domain" if domain is None else str(domain)
    notes = [
        f"kept: {described(found)}; covariates explain {100 * found.explained_share:.0f} % of the "
        f"variance within domains, and {_differing(p_values)}."
    ]
    if constant:
        notes.append(f"not kept, since they never vary: {', '.join(map(str, constant))}.")
    if found.confounding.inflation > NOTICEABLE:
        notes.append(in_words(found.confounding, site))
    if found.carried < 1:
        notes.append(
            f"of what covariates do not explain, a share of {found.carried:g} moves along with a "
            "row; the rest is taken for noise of the measurement."
        )
    if found.spread.any():
        notes.append("rows vary more or less with their covariates, which is kept as well.")
    return tuple(notes)


def described(found: "Covariates") -> str:
    """The covariates, how each enters, and which act together."""
    basis = found.design.basis
    single = [f"{c.name} ({kind(c)})" for c in basis.columns]
    joint = [
        " × ".join(str(basis.columns[i].name) for i in term)
        for term in basis.terms
        if len(term) > 1
    ]
    return ", ".join(single + joint)


def kind(column: Number | Category) -> str:
    """linear, smooth, or how many levels."""
    if isinstance(column, Category):
        known = len(column.levels) - (GAP in column.levels)
        return f"{known} levels" + (", and missing" if GAP in column.levels else "")
    return "smooth" if column.knots else "linear"


def in_words(found: Confounding, site: str) -> str:
    """How far domains can be told from covariates, and what that costs."""
    most = max(found.by_covariate, key=lambda pair: pair[1])
    if found.inflation < NONE:
        cost = "That makes the answers no less certain."
    else:
        cost = (
            f"That makes the answers up to {found.inflation:.2g} times as uncertain as they would "
            "be if covariates were alike."
        )
    return (
        f"confounding: {site} can be guessed from the covariates for {100 * found.told:.0f} % of "
        f"rows ({100 * found.chance:.0f} % without them), most of all from {most[0]}. {cost}"
    )


def _differing(p_values: tuple[float, float]) -> str:
    gains, own = (p <= LEVEL for p in p_values)
    if own:
        return "what they do differs between domains"
    return "domains stretch what they do" if gains else "what they do is the same in every domain"
