"""Every check of one fit to a table, and the warnings first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from elsewhere.baselines.words import in_words
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting.progress import Progress, part_of, silent
from elsewhere.trust.case import Case, make_case
from elsewhere.trust.checks import CHECKS
from elsewhere.trust.decision import Decision
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.invariants import Invariants
from elsewhere.trust.judgement import Judgement, Level, Shown, plain, worst
from elsewhere.trust.moves import Moves, moves
from elsewhere.trust.table_decision import table_decision

NEEDED = ("fit", "likeness", "planted")  # a level is good only where none of these is unknown


@dataclass(frozen=True)
class Trust(AbstractTrust):
    """What is known of a fit's answers; what the check `support` found is `trust.support`.

    Every part has a `verdict` with a level and words; a check that was not asked for is None.

    Attributes:
        found: by the name of the check, in the order of `CHECKS`.
        moves: which columns move.
        notes: what the fit itself had to say.
    """

    found: Mapping[str, Any]
    moves: Moves
    notes: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__.get("found", {})
        if name not in found:
            raise AttributeError(f"no check is called {name!r}; there are {list(found)}.")
        return found[name]

    @property
    def titles(self) -> dict[str, str]:
        """The headings of the checks."""
        return {name: CHECKS[name].title for name in self.found}

    @property
    def verdicts(self) -> dict[str, Judgement]:
        """The verdict of every check that was made, by name."""
        return {name: part.verdict for name, part in self.found.items() if part is not None}

    @property
    def level(self) -> Level:
        """The worst of all verdicts; good only if fit, likeness and planted truth are known so."""
        level = worst(verdict.level for verdict in self.verdicts.values())
        needed = [v.level for name, v in self.verdicts.items() if name in NEEDED]
        return "unknown" if level == "good" and "unknown" in needed else level

    @property
    def decision(self) -> Decision:
        """Whether to use the answers: by the error to be expected, and what contradicts the fit."""
        return table_decision(self.verdicts, self.titles, moved=self.expected.correction > 0)

    @property
    def remarks(self) -> tuple[str, ...]:
        """The notes of the fit, which no check repeats."""
        return self.notes

    @property
    def tables(self) -> tuple[Shown, ...]:
        """The errors of all methods on the planted truth, where one was planted."""
        if self.planted is None or not self.planted.by_truth:
            return ()
        found = self.planted.by_truth
        methods = next(iter(found.values()))
        rows = tuple(
            (in_words(m), *(f"{errors[m]:.3g}" for errors in found.values())) for m in methods
        )
        return (Shown("Error on simulated rows, by what differs there", ("method", *found), rows),)

    @property
    def parts(self) -> dict[str, Any]:
        """What every check found, the moves and the notes, as plain data."""
        return plain(self.found) | {"moves": plain(self.moves), "notes": plain(self.notes)}


def table_trust(
    estimator: DomainCounterfactual,
    X: Any,
    domains: Any,
    *,
    invariants: Invariants | None = None,
    planted: bool = True,
    covariates: Any = None,
    beside: Any = None,
    random_state: int = 0,
    progress: Progress = silent,
) -> Trust:
    """Every check of a fitted estimator on rows of its domains, at most 2,000 of each.

    Args:
        estimator: fitted.
        X: rows like those fitted; those themselves will do.
        domains: one label per row.
        invariants: columns that must not change, or functions of a table that give one number per
            row, or a mapping from names to such functions.
        planted: whether to fit again on simulated data, which takes as long as a fit.
        covariates: of the rows, where the fit has kept any.
        beside: a DataFrame of other columns of these rows, such as a diagnosis that was not kept:
            is it these that explain what domains differ by?
        random_state: the seed of everything that is drawn.
        progress: called with the fraction done and the check that is being made.
    """
    asked = {"invariants": invariants, "planted": planted, "covariates": covariates}
    asked |= {"beside": beside}
    return judge(make_case(estimator, X, domains, random_state, **asked), progress)


def judge(case: Case, progress: Progress = silent) -> Trust:
    """Every check of one case."""
    found: dict[str, Any] = {}
    costs = {name: check.cost(case) for name, check in CHECKS.items()}
    done, total = 0.0, sum(costs.values())
    for name, check in CHECKS.items():
        progress(done / total, check.title)
        part = part_of(progress, done / total, (done + costs[name]) / total)
        found[name] = check.run(case, found, _always_called(check.title, part))
        done += costs[name]
    progress(1.0, "done")
    return Trust(found, moves(case), case.estimator.notes_)


def _always_called(title: str, progress: Progress) -> Progress:
    """The progress of a check, which keeps its title whatever is done inside."""
    return lambda fraction, _: progress(fraction, title)
