"""Every check on one fit, and the warnings first."""

from dataclasses import dataclass
from typing import Any

from elsewhere.estimators import DomainCounterfactual
from elsewhere.trust.assumptions import Assumptions, assumptions
from elsewhere.trust.case import Case, make_case
from elsewhere.trust.conditioning import Conditioning, conditioning
from elsewhere.trust.fit_quality import FitQuality, fit_quality
from elsewhere.trust.invariants import Audit, Invariants, audit
from elsewhere.trust.moves import Moves, moves
from elsewhere.trust.planted import Planted, planted_truth
from elsewhere.trust.spread import Spread, spread_over_fits
from elsewhere.trust.support import Support, support
from elsewhere.trust.two_sample import Likenesses, two_sample
from elsewhere.trust.verdict import AbstractTrust, Verdict

TITLES = {
    "fit": "How well each domain is fitted",
    "likeness": "Moved rows against real ones",
    "spread": "Spread over the equally good fits",
    "support": "Where the target has no data",
    "invariants": "What must not change",
    "planted": "A planted truth, found again",
    "conditioning": "Numerical health",
    "assumptions": "Assumptions",
}


@dataclass(frozen=True)
class Trust(AbstractTrust):
    """What is known of a fit's answers; each part has a `verdict` with a level and words.

    Attributes:
        fit: held-out likelihood of each domain, against Dense and a Gaussian.
        likeness: rows moved into a domain, against real rows of it.
        spread: over the equally good fits.
        support: rows moved where the target has no data.
        invariants: what must not change.
        planted: who finds a truth like this fit; None where not asked for.
        conditioning: round trips, and condition numbers of g.
        moves: which columns move.
        assumptions: what the answers rest on.
        notes: what the fit itself had to say.
    """

    fit: FitQuality
    likeness: Likenesses
    spread: Spread
    support: Support
    invariants: Audit
    planted: Planted | None
    conditioning: Conditioning
    moves: Moves
    assumptions: Assumptions
    notes: tuple[str, ...]

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict of every check that was made, by name."""
        parts = {name: getattr(self, name) for name in TITLES}
        return {name: part.verdict for name, part in parts.items() if part is not None}


def trust_report(
    estimator: DomainCounterfactual,
    X: Any,
    domains: Any,
    *,
    invariants: Invariants | None = None,
    planted: bool = True,
    random_state: int = 0,
) -> Trust:
    """Every check of a fitted estimator on rows of its domains, at most 2,000 of each.

    Args:
        estimator: fitted.
        X: rows like those fitted; those themselves will do.
        domains: one label a row.
        invariants: columns that must not change, or functions of a table that give one number a
            row, or a mapping from names to such functions.
        planted: whether to fit again on simulated data, which takes as long as a fit.
        random_state: of all that is drawn.
    """
    return judge(make_case(estimator, X, domains, random_state), invariants, planted=planted)


def judge(case: Case, invariants: Invariants | None = None, *, planted: bool = True) -> Trust:
    """Every check of one case."""
    audited, quality = audit(case, invariants), fit_quality(case)
    return Trust(
        fit=quality,
        likeness=two_sample(case),
        spread=spread_over_fits(case),
        support=support(case),
        invariants=audited,
        planted=planted_truth(case) if planted else None,
        conditioning=conditioning(case),
        moves=moves(case),
        assumptions=assumptions(case, quality),
        notes=case.estimator.notes_,
    )
