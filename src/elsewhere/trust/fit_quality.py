"""How well each domain is fitted: held-out likelihood against Dense and against a Gaussian."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.estimators import in_blocks
from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.mechanisms import Mechanisms, kinds_of_mechanisms
from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.read_back import linear_mechanisms
from elsewhere.fitting.refine.one_domain import FOLDS, cross_fitted, folds, latents
from elsewhere.model import ILD
from elsewhere.movers import Density
from elsewhere.trust.case import FEW, Case
from elsewhere.trust.judgement import (
    Judgement,
    Level,
    few_of_many,
    graded,
    listed,
    percent,
    typical,
    worst,
)

SMALL, LARGE = 0.01, 0.1  # nats per row, beyond two standard errors
MOST_COLUMNS = 100  # up to which a domain's own Gaussian is worth comparing with
COLLINEAR = "Some columns determine one another, so rows have no density to judge the fit by."
ELSE = "Judge by whether moved rows look real."
REPEATED = f"Drop columns that repeat others to have it judged. {ELSE}"
REMEDY = (
    "Look at those domains for outliers, mixed units or groups that should be separate; or trust "
    "averages more than single rows."
)
Values = Float[np.ndarray, " n"]


@dataclass(frozen=True)
class Difference:
    """The mean of a paired difference in nats per row, and its standard error."""

    mean: float
    error: float

    @property
    def surely(self) -> float:
        """What is left of it after two standard errors."""
        return self.mean - 2 * self.error


Worry = tuple[Level, Difference, Hashable, str]  # how bad, by how much, in which domain, in words


@dataclass(frozen=True)
class DomainFit:
    """One domain's rows; likelihoods are by 5-fold cross-validation, given g, in link space.

    Attributes:
        log_likelihood: nats per row with the domain's own mechanisms fitted to the other folds.
        dense_gain: what it gains with every mechanism its own, in the same axes.
        gaussian_gain: what a Gaussian of its own gains over the model.
        refit_gain: what the cross-validated mechanisms gain over those of the fit: large where
            these rows are not like the ones fitted.
    """

    domain: Hashable
    rows: int
    log_likelihood: float
    dense_gain: Difference | None
    gaussian_gain: Difference
    refit_gain: Difference


@dataclass(frozen=True)
class FitQuality:
    """Every domain's fit, and what it says together."""

    domains: tuple[DomainFit, ...]
    verdict: Judgement


def fit_quality(case: Case) -> FitQuality:
    """Mean log p_d against Dense and a Gaussian, on rows that their parameters have not seen."""
    m = len(case.unit)
    needed = max(FEW, -(-(m + 2) * FOLDS // (FOLDS - 1)))
    enough = [d for d, rows in case.linked.items() if len(rows) >= needed]
    if m > MOST_COLUMNS:
        words = f"Not judged with more than {MOST_COLUMNS} columns: rows are too few for a density."
        return FitQuality((), Judgement("unknown", words, remedy=ELSE))
    if not isinstance(case.model, Density):
        words = "The model moves rows but has no density."
        return FitQuality((), Judgement("unknown", words, remedy=ELSE))
    if _collinear([case.linked[d] for d in enough]):
        return FitQuality((), Judgement("unknown", COLLINEAR, remedy=REPEATED))
    again = _without_each_fold(case) if enough and isinstance(case.model, AffineMap) else {}
    fits = tuple(_domain_fit(case, d, again.get(d)) for d in enough)
    return FitQuality(fits, _verdict(fits, [d for d in case.linked if d not in enough], needed))


def _collinear(tables: list[Float[np.ndarray, "_ m"]]) -> bool:
    """Whether some column of a domain is a linear function of others, or constant."""
    for rows in tables:
        centred = rows - rows.mean(axis=0)
        deviations = np.sqrt((centred**2).mean(axis=0))
        if not (deviations > 0).all():
            return True
        values = np.linalg.svd(centred / deviations, compute_uv=False)
        if values[-1] < 1e-5 * values[0]:
            return True
    return False


def _without_each_fold(case: Case) -> dict[Hashable, Values]:
    """log p_d of every row under the map fitted to the other folds of all domains."""
    parts = {d: folds(len(rows)) for d, rows in case.linked.items()}
    values = {d: np.empty(len(rows)) for d, rows in case.linked.items()}
    for i in range(FOLDS):
        others = {d: np.delete(rows, parts[d][i], axis=0) for d, rows in case.linked.items()}
        tables = {d: rows if len(rows) else case.linked[d] for d, rows in others.items()}
        model = affine_map(tables, units=case.estimator.space_.units)
        for d, rows in case.linked.items():
            values[d][parts[d][i]] = model.log_density(rows[parts[d][i]], d=d)
    return values


def _domain_fit(case: Case, d: Hashable, again: Values | None) -> DomainFit:
    y = case.linked[d]
    fitted = in_blocks.log_density(case.model, y, d)
    own, dense = (again, None) if again is not None else _cross_validated(case, y, fitted)
    gaussian = cross_fitted_gaussian(y)
    return DomainFit(
        domain=d,
        rows=len(y),
        log_likelihood=float(own.mean()),
        dense_gain=None if dense is None else _difference(dense - own),
        gaussian_gain=_difference(gaussian - own),
        refit_gain=_difference(own - fitted),
    )


def _cross_validated(
    case: Case, y: Float[np.ndarray, "n m"], fitted: Values
) -> tuple[Values, Values | None]:
    """(the model, Dense); for mechanisms that are not linear, the fit itself and nothing."""
    model = case.model
    mechanisms = linear_mechanisms(model) if isinstance(model, ILD) else None
    if mechanisms is None or not isinstance(model, ILD):
        return fitted, None
    z, log_det = latents(model, y)
    kinds = kinds_of_mechanisms(mechanisms)
    own = cross_fitted(mechanisms, kinds, z) + log_det
    return own, cross_fitted(mechanisms, np.full(len(kinds), OWN), z) + log_det


def cross_fitted_gaussian(y: Float[np.ndarray, "n m"]) -> Values:
    """log N(y; μ, Σ) of each row, μ and Σ of the other folds."""
    m = y.shape[1]
    nothing = Mechanisms(np.zeros((1, m, m)), np.ones((1, m)), np.zeros((1, m)))
    return cross_fitted(nothing, np.full(m, OWN), y)


def _difference(values: Values) -> Difference:
    return Difference(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))


def _verdict(fits: tuple[DomainFit, ...], left: list[Hashable], needed: int) -> Judgement:
    few = f"too few rows to judge the fit of {listed(left)} (at least {needed} are needed)"
    more = f"Collect at least {needed} rows per domain, or model fewer columns."
    if not fits:
        return Judgement("unknown", f"{few[0].upper()}{few[1:]}.", remedy=more)
    found = _worries(fits)
    by_domain = {f.domain: worst(g for g, _, d, _ in found if d == f.domain) for f in fits}
    level = typical(by_domain)  # type: ignore[arg-type]
    measure = (
        f"Beyond what chance explains, rows left out are {percent(_lost(found))} less probable "
        "than they could be. Fine up to 1 %, poor from 10 %."
    )
    if level != "good":
        return Judgement(level, f"The model falls short: {_shortfalls(found)}.", measure, REMEDY)
    if not left:
        words = "Every domain is explained as well as by a model of its own."
        return Judgement("good", words, measure)
    count, of = len(fits), len(fits) + len(left)
    words = f"{count} of {of} domains are explained as well as alone; {few}."
    return Judgement("good" if few_of_many(len(left), of) else "unknown", words, measure, more)


def _worries(fits: tuple[DomainFit, ...]) -> list[Worry]:
    """What each comparison says of each domain, by comparison."""
    dense = [(f.dense_gain, f.domain) for f in fits if f.dense_gain is not None]
    said = {
        "what all domains share does not hold in {}": dense,
        "a simple bell curve describes {} better": [(f.gaussian_gain, f.domain) for f in fits],
        "these rows are unlike those fitted in {}": [(f.refit_gain, f.domain) for f in fits],
    }
    return [
        (graded(gain.surely, SMALL, LARGE), gain, d, words)
        for words, gains in said.items()
        for gain, d in gains
    ]


def _lost(found: list[Worry]) -> float:
    """The share of its probability that the domain which decides has surely lost."""
    sure: dict[Hashable, float] = {}
    for _, gain, d, _ in found:
        sure[d] = max(sure.get(d, 0.0), gain.surely)
    deciding = sorted(sure.values(), reverse=True)[max(-(-len(sure) // 10) - 1, 0)]
    return 1 - float(np.exp(-deciding))


def _shortfalls(found: list[Worry]) -> str:
    """What falls short, and in which domains."""
    where: dict[str, list[Hashable]] = {}
    for grade, _, d, words in found:
        if grade != "good":
            where.setdefault(words, []).append(d)
    return "; ".join(words.format(listed(domains)) for words, domains in where.items())
