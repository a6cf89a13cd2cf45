"""What was done to a table: the model, what was considered, and what the answers rest on."""

from collections.abc import Hashable

from elsewhere.escaping import Html
from elsewhere.model import ILD
from elsewhere.report.blocks import (
    badge,
    bullets,
    folded,
    heading,
    paragraph,
    table,
)
from elsewhere.report.in_plain_words import (
    explanation_in_plain_words,
    range_in_plain_words,
)
from elsewhere.report.overview import CELLS
from elsewhere.trust.case import Case
from elsewhere.trust.tables import Trust


def what_was_done(case: Case, counts: dict[Hashable, int]) -> list[Html]:
    """The question, the model, what was considered, and the columns."""
    estimator, names = case.estimator, list(case.linked)
    text = (
        f"What would a row from {names[0]} look like, had it come from {names[1]}? For every row, "
        "what makes it individual is found, the domain is changed, and the row is made again."
    )
    sizes = [["domain", "rows"], *([str(d), f"{n:,}"] for d, n in counts.items())]
    links = [["column", "taken as"]]
    links += [[str(n), range_in_plain_words(a)] for n, a in estimator.links_.items()]
    notes = [heading("What the fit says", 3), bullets(estimator.notes_)]
    return [
        heading("What was done"),
        paragraph(text),
        *([paragraph(estimator.difference_)] if estimator.difference_ else []),
        table(sizes) if len(sizes) <= CELLS else folded("Rows of each domain", table(sizes)),
        paragraph(_model(case)),
        *_considered(case),
        *(notes if estimator.notes_ else []),
        folded(f"The {len(links) - 1} columns and their ranges", table(links, "text")),
    ]


def _model(case: Case) -> str:
    """What kind of model was fitted, and how many mechanisms or columns differ."""
    result, m = case.estimator.result_, len(case.names)
    if not isinstance(case.model, ILD):
        return (
            f"Model: one linear map per pair of domains; {result.k} of {m} columns have offsets or "
            "scales of their own."
        )
    k = "every mechanism" if result.k is None else f"{result.k} of {m} mechanisms"
    return (
        f"Model: {case.estimator.mixing_} mixing; {k} may differ between domains; "
        f"{len(result.candidates)} equally good fit(s). Held-out log-likelihood "
        f"{result.log_likelihood:.3f} ± {result.standard_error:.3f} per row."
    )


def _considered(case: Case) -> list[Html]:
    """Every explanation, from the simplest to the richest, and whether the answer uses it."""
    rows = [["what may differ", "", "evidence"]]
    rows += [
        [explanation_in_plain_words(e.name), "used" if e.used else "not used", e.words]
        for e in case.estimator.result_.explanations
    ]
    return [heading("What was considered", 3), table(rows, "text")] if len(rows) > 1 else []


def assumptions(trust: Trust) -> list[Html]:
    """What the answers rest on, and what the data say of it."""
    rows = [["assumption", "", "what the data say"]]
    rows += [
        [a.words, badge(a.verdict.level), a.verdict.words] for a in trust.assumptions.assumptions
    ]
    return [heading("What the answers rest on"), table(rows, "stack")]
