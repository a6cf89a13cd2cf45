"""The checks of a table model: what each is called, and how it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.refine.one_domain import FOLDS
from elsewhere.trust.assumptions import assumptions
from elsewhere.trust.case import Case
from elsewhere.trust.case_mix import case_mix
from elsewhere.trust.conditioning import conditioning
from elsewhere.trust.confounding import confounding_check
from elsewhere.trust.correction import correction
from elsewhere.trust.expected_error import expected_error
from elsewhere.trust.fit_quality import fit_quality
from elsewhere.trust.invariants import audit
from elsewhere.trust.judgement import Judgement
from elsewhere.trust.own_evidence import own_evidence
from elsewhere.trust.planted import planted_truth
from elsewhere.trust.spread import spread_over_fits
from elsewhere.trust.support import support
from elsewhere.trust.two_sample import two_sample


@runtime_checkable
class Finding(Protocol):
    """What a check found; a dataclass, so that it can be written as JSON."""

    @property
    def verdict(self) -> Judgement:
        """How much it should worry the reader, and why."""
        ...


Run = Callable[[Case, Mapping[str, Any], Progress], Finding | None]


@dataclass(frozen=True)
class Check:
    """A heading, and a function of the case, of what the checks before it found and of progress.

    The function returns None where the check was not asked for. `cost` is about how many seconds
    it takes of a core.
    """

    title: str
    run: Run
    cost: Callable[[Case], float] = lambda case: 0.02


def _again(case: Case) -> float:
    """A fit by moments once more; a search takes long, and how long is not known before."""
    return 0.05 + 0.02 * len(case.linked) if isinstance(case.model, AffineMap) else 20.0


def _planted_cost(case: Case) -> float:
    if not case.planted:
        return 0.0
    return 12 * _again(case) + 0.5 if isinstance(case.model, AffineMap) else _again(case)


def _fit_cost(case: Case) -> float:
    return FOLDS * _again(case) if isinstance(case.model, AffineMap) else 0.5


CHECKS: dict[str, Check] = {
    "fit": Check(
        "Does it explain every domain?", lambda case, _, told: fit_quality(case), _fit_cost
    ),
    "likeness": Check(
        "Do moved rows look real?",
        lambda case, _, told: two_sample(case),
        lambda case: 0.006 * len(case.pairs),
    ),
    "spread": Check("Do equally good models agree?", lambda case, _, told: spread_over_fits(case)),
    "support": Check("Do answers stay where there is data?", lambda case, _, told: support(case)),
    "confounding": Check(
        "Is it the domain, or who is in it?", lambda case, _, told: confounding_check(case)
    ),
    "case_mix": Check(
        "Is it who is in it, by what was not kept?", lambda case, _, told: case_mix(case)
    ),
    "own_evidence": Check(
        "Do small domains have enough rows of their own?", lambda case, _, told: own_evidence(case)
    ),
    "invariants": Check(
        "Does what must not change stay?", lambda case, _, told: audit(case, case.invariants)
    ),
    "correction": Check(
        "Is the difference gone, and no more?", lambda case, _, told: correction(case)
    ),
    "planted": Check(
        "Is it better than simpler methods?",
        lambda case, _, told: planted_truth(case, told) if case.planted else None,
        _planted_cost,
    ),
    "expected": Check(
        "How far off may answers be?", lambda case, found, told: expected_error(case, found)
    ),
    "conditioning": Check("Is the arithmetic sound?", lambda case, _, told: conditioning(case)),
    "assumptions": Check(
        "Do the data fit what is taken for granted?",
        lambda case, found, told: assumptions(case, found["fit"]),
    ),
}


def register_check(name: str, title: str, run: Callable[[Case], Finding | None]) -> None:
    """Add a check to every trust report of a table model that is made from now on.

    Args:
        name: of the part of the report, `trust.name`; a Python name that is not taken.
        title: of its card on the page.
        run: from the case to what was found, or to None where there is nothing to check.
    """
    if not name.isidentifier() or name in CHECKS or name in ("moves", "notes"):
        raise ValueError(f"name must be a new Python name; got {name!r}, beside {list(CHECKS)}.")
    CHECKS[name] = Check(title, lambda case, _, told: run(case))
