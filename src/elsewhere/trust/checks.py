"""The checks of a table model: what each is called, and how it is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from elsewhere.trust.assumptions import assumptions
from elsewhere.trust.case import Case
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


@dataclass(frozen=True)
class Check:
    """A heading, and a function of the case and of what the checks before it found.

    The function returns None where the check was not asked for. `weight` is how long it takes,
    about, in units of a check that looks at the rows once.
    """

    title: str
    run: Callable[[Case, Mapping[str, Any]], Finding | None]
    weight: float = 1.0


PLANTED = 12.0  # it fits again, many times

CHECKS: dict[str, Check] = {
    "fit": Check("Does it explain every domain?", lambda case, _: fit_quality(case)),
    "likeness": Check("Do moved rows look real?", lambda case, _: two_sample(case)),
    "spread": Check("Do equally good models agree?", lambda case, _: spread_over_fits(case)),
    "support": Check("Do answers stay where there is data?", lambda case, _: support(case)),
    "confounding": Check(
        "Is it the domain, or who is in it?", lambda case, _: confounding_check(case)
    ),
    "own_evidence": Check(
        "Do small domains have enough rows of their own?", lambda case, _: own_evidence(case)
    ),
    "invariants": Check(
        "Does what must not change stay?", lambda case, _: audit(case, case.invariants)
    ),
    "correction": Check("Is the difference gone, and no more?", lambda case, _: correction(case)),
    "planted": Check(
        "Is it better than simpler methods?",
        lambda case, _: planted_truth(case) if case.planted else None,
        weight=PLANTED,
    ),
    "expected": Check("How far off may answers be?", expected_error),
    "conditioning": Check("Is the arithmetic sound?", lambda case, _: conditioning(case)),
    "assumptions": Check(
        "Do the data fit what is taken for granted?",
        lambda case, found: assumptions(case, found["fit"]),
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
    CHECKS[name] = Check(title, lambda case, _: run(case))
