"""One page on one table: what was asked, the answer, how far to trust it, how to do it again."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from elsewhere.escaping import Html
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.crossing import one_column
from elsewhere.report.blocks import banner, heading, paragraph, reproduced
from elsewhere.report.compared import compared
from elsewhere.report.in_plain_words import difference_in_plain_words
from elsewhere.report.look_for_yourself import look_for_yourself
from elsewhere.report.move_your_rows import move_your_rows
from elsewhere.report.one_row import one_row
from elsewhere.report.page import write_page
from elsewhere.report.table_report_trust import panel
from elsewhere.report.the_answer import the_answer
from elsewhere.report.what_was_done import assumptions, what_was_done
from elsewhere.trust.case import Case, make_case
from elsewhere.trust.judgement import listed
from elsewhere.trust.tables import Trust, judge

TITLE = "Had it come from elsewhere?"


def write_table_report(
    estimator: DomainCounterfactual,
    X: Any,
    domains: Any,
    path: str | Path,
    *,
    trust: Trust | None = None,
    command: str = "",
    covariates: Any = None,
    name: str = "",
    random_state: int = 0,
) -> Path:
    """One self-contained HTML page on a fitted estimator and rows of its domains.

    Args:
        estimator: fitted.
        X: rows like those fitted.
        domains: one label per row.
        path: where to write; the file appears whole or not at all.
        trust: from `trust_report`; made here where it is not given.
        command: how the page was made, to be shown.
        covariates: of the rows, where the fit has kept any.
        name: of the data, as the name of their file.
        random_state: of the rows that are drawn.
    """
    case = make_case(estimator, X, domains, random_state, covariates=covariates)
    found = trust or judge(case)
    labels = one_column(domains)
    counts = {d: sum(bool(label == d) for label in labels) for d in case.linked}
    body = [*_top(case, counts, name), *findings(case, found), *_rest(case, found, counts, command)]
    return write_page(path, TITLE, body)


def findings(case: Case, trust: Trust) -> list[Html]:
    """What a reader looks at first, from the answer to the question to every check."""
    return [
        banner(trust),
        heading("What differs"),
        paragraph(difference_in_plain_words(case, trust)),
        *one_row(case, trust),
        *look_for_yourself(case, trust),
        *move_your_rows(case),
        *the_answer(case, trust),
        *panel(case, trust),
        *compared(case, trust),
    ]


def _top(case: Case, counts: dict[Hashable, int], name: str) -> list[Html]:
    domain = case.estimator.domain_name_
    groups = f"{len(counts)} groups" + (f" ({domain})" if domain else "")
    told = listed([f"{d}: {n:,}" for d, n in counts.items()], 6)
    whose, known = f"{name}: " if name else "", case.estimator.covariates_
    kept = f" Kept as it is: what {listed(known.names)} explain." if known is not None else ""
    lead = (
        f"{whose}{sum(counts.values()):,} rows of {len(case.names)} columns from {groups}: "
        f"{told}.{kept}"
    )
    return [heading(TITLE, 1), paragraph(lead, "lead")]


def _rest(case: Case, trust: Trust, counts: dict[Hashable, int], command: str) -> list[Html]:
    drawn = (
        "At most 2,000 rows of each domain were drawn for the checks and pictures, with seed "
        f"{case.seed}."
    )
    return [
        *what_was_done(case, counts),
        *assumptions(trust),
        *reproduced(case.estimator, command, drawn),
    ]
