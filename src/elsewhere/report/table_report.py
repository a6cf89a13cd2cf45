"""One page on one table: what was asked, the answer, how far to trust it, how to do it again."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.escaping import Html
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.crossed import one_column
from elsewhere.model import ILD
from elsewhere.report.before_and_after import before_and_after
from elsewhere.report.blocks import (
    badge,
    banner,
    bullets,
    element,
    folded,
    heading,
    paragraph,
    picture,
    reproduced,
    table,
    together,
)
from elsewhere.report.compared import compared
from elsewhere.report.in_plain_words import (
    difference_in_plain_words,
    explanation_in_plain_words,
    range_in_plain_words,
)
from elsewhere.report.look_for_yourself import look_for_yourself
from elsewhere.report.move_your_rows import move_your_rows
from elsewhere.report.one_row import one_row
from elsewhere.report.overview import CELLS, WIDE, overview
from elsewhere.report.page import write_page
from elsewhere.report.style import short
from elsewhere.report.table_report_pictures import (
    column_figure,
    joint_figure,
)
from elsewhere.report.table_report_trust import panel
from elsewhere.trust.case import Case, Pair, make_case
from elsewhere.trust.judgement import listed
from elsewhere.trust.moves import values_of
from elsewhere.trust.tables import Trust, judge

TITLE = "Had it come from elsewhere?"
OPEN, CLOSED = 2, 2  # pairs of domains whose pictures are shown, and folded away
COLUMNS = 8  # columns with a picture
HALF_WIDTH = 1.645  # standard errors to either side, of a 90 % interval


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
    counts = {d: sum(label == d for label in one_column(domains)) for d in case.linked}
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
        *_answer(case, trust),
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
        *_question(case, counts),
        *_assumptions(trust),
        *reproduced(case.estimator, command, drawn),
    ]


def _question(case: Case, counts: dict[Hashable, int]) -> list[Html]:
    result, names = case.estimator.result_, list(case.linked)
    text = (
        f"What would a row from {names[0]} look like, had it come from {names[1]}? For every row, "
        "what makes it individual is found, the domain is changed, and the row is made again."
    )
    k = "every mechanism" if result.k is None else f"{result.k} of {len(case.names)} mechanisms"
    found = (
        f"Model: one linear map per pair of domains; {result.k} of {len(case.names)} columns have "
        "offsets or scales of their own."
    )
    model = (
        f"Model: {case.estimator.mixing_} mixing; {k} may differ between domains; "
        f"{len(result.candidates)} equally good fit(s). Held-out log-likelihood "
        f"{result.log_likelihood:.3f} ± {result.standard_error:.3f} per row."
    )
    links = [["column", "taken as"]]
    links += [[str(n), range_in_plain_words(a)] for n, a in case.estimator.links_.items()]
    sizes = [["domain", "rows"], *([str(d), f"{n:,}"] for d, n in counts.items())]
    notes = [heading("What the fit says", 3), bullets(case.estimator.notes_)]
    return [
        heading("What was done"),
        paragraph(text),
        *([paragraph(case.estimator.difference_)] if case.estimator.difference_ else []),
        table(sizes) if len(sizes) <= CELLS else folded("Rows of each domain", table(sizes)),
        paragraph(model if isinstance(case.model, ILD) else found),
        *_considered(case),
        *(notes if case.estimator.notes_ else []),
        folded(f"The {len(links) - 1} columns and their ranges", table(links, "text")),
    ]


def _considered(case: Case) -> list[Html]:
    """Every explanation, from the simplest to the richest, and whether the answer uses it."""
    rows = [["what may differ", "", "evidence"]]
    rows += [
        [explanation_in_plain_words(e.name), "used" if e.used else "not used", e.words]
        for e in case.estimator.result_.explanations
    ]
    return [heading("What was considered", 3), table(rows, "text")] if len(rows) > 1 else []


def _answer(case: Case, trust: Trust) -> list[Html]:
    pairs, columns = _both_ways_apart(trust), list(trust.moves.by_column())
    said = case.estimator.space_.said
    narrow, opened = len(columns) <= WIDE, min(OPEN, len(pairs) // 2)
    rows = [
        ["from", "to", "column", "move", "mean move", "90 % interval", "median before", "after"]
    ]
    rows += [
        [str(a.source), str(a.target), a.column, f"{a.size:.3g}", f"{a.mean:+.3g}"]
        + [f"± {HALF_WIDTH * a.error:.2g}" if a.error else "–"]
        + [said(a.column, median) for median in (a.median_before, a.median_after)]
        for a in trust.moves.moves[: CELLS * CELLS]
    ]
    left = len(trust.moves.moves) - (len(rows) - 1)
    more = f"All {len(rows) - 1} moves" if left <= 0 else f"The {len(rows) - 1} largest moves"
    return [
        heading("The answer"),
        paragraph(trust.moves.verdict.words),
        picture(*overview(trust.moves, pairs, columns)),
        *(_pair(case, pair) for pair in pairs[:opened] if narrow),
        *(
            folded(f"{d} → {e}", _pair(case, (d, e)))
            for d, e in pairs[opened : opened + CLOSED]
            if narrow
        ),
        *before_and_after(case),
        folded(f"{more} in numbers", table(rows)),
    ]


def _both_ways_apart(trust: Trust) -> list[Pair]:
    """Pairs by their largest move, each way back after all the ways there."""
    ordered = list(trust.moves.by_pair())
    seen: dict[frozenset[Hashable], Pair] = {}
    for pair in ordered:
        seen.setdefault(frozenset(pair), pair)
    there = list(seen.values())
    return there + [pair for pair in ordered if pair not in there]


def _pair(case: Case, pair: Pair) -> Html:
    """Before and after of one pair: the columns that move most, and the first two jointly."""
    d, e = pair
    tables = case.given[d], case.given[e], case.answer(pair)
    source, target, after = (values_of(case, X) for X in tables)
    sizes = np.sqrt((dict(case.moves())[pair] ** 2).mean(axis=0))
    order, level_names = np.argsort(-sizes)[:COLUMNS], case.estimator.space_.level_names
    panels = [
        picture(
            column_figure(
                case.names[j], source[:, j], target[:, j], after[:, j], level_names(case.names[j])
            ),
            f"{case.names[j]} in {d}, in {e}, and moved from {d} to {e}",
            shown=False,
        )
        for j in order
    ]
    caption = f"{d} (blue), {e} (orange), and rows of {d} moved to {e} (line)."
    if len(case.names) > COLUMNS:
        caption += f" The {COLUMNS} of {len(case.names)} columns that move most."
    grid = [element("div", panels, "grid"), paragraph(caption, "small")]
    joint = _joint(case, pair, order, (source, target, after))
    return together([heading(f"{d} → {e}", 3), *grid, joint])


def _joint(case: Case, pair: Pair, order: np.ndarray, rows: tuple[np.ndarray, ...]) -> Html:
    if len(order) < 2:
        return Html()
    two = order[:2]
    names = case.names[two[0]], case.names[two[1]]
    labels = short(str(pair[0]), 20), short(str(pair[1]), 20)
    rng = case.rng(3)
    shuffle = rng.permutation(len(rows[0]))
    source, target, after = rows[0][shuffle], rng.permutation(rows[1]), rows[2][shuffle]
    figure = joint_figure(names, labels, source[:, two], target[:, two], after[:, two])
    return picture(figure, "The two columns that move most; arrows lead to the answers.")


def _assumptions(trust: Trust) -> list[Html]:
    rows = [["assumption", "", "what the data say"]]
    rows += [
        [a.words, badge(a.verdict.level), a.verdict.words] for a in trust.assumptions.assumptions
    ]
    return [heading("What the answers rest on"), table(rows, "stack")]
