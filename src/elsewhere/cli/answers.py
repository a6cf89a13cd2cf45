"""A table of answers from a table of questions, batch by batch."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from elsewhere.cli.answer_progress import moving_bar
from elsewhere.cli.answer_text import AnswerText
from elsewhere.cli.crossed import OneDomain, Target, called
from elsewhere.cli.kept_columns import asked_covariates, kept_names
from elsewhere.cli.kinds import Question, domain_called
from elsewhere.cli.labels import labels_by_text
from elsewhere.cli.paired_files import read_pairs
from elsewhere.cli.table_question import TableQuestion
from elsewhere.cli.tables import check_columns, feature_names
from elsewhere.datasets.joined_columns import joined_file
from elsewhere.datasets.tables import TableError, TableFile, is_text, open_table, writing_table
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.arrow_cells import answered_columns
from elsewhere.estimators.labels import EVERY


def write_answers(estimator: DomainCounterfactual, question: Question) -> dict[str, Any]:
    """Write the answers and say what was written; one pass over the data for each target."""
    targets = targets_of(estimator, question)
    asked = asked_of(estimator, question, open_table(question.data), question.out)
    with writing_table(question.out, asked.schema) as write, moving_bar() as pace:
        written = pace.write(asked, targets, write)
        if not written:
            raise TableError(f"{question.data} holds no rows, only column names.")
    return said(estimator, question, targets, written, asked.unusual.notes())


def targets_of(estimator: DomainCounterfactual, question: Question) -> list[Target]:
    """What to move to."""
    known, crossing = labels_by_text(estimator), estimator.crossing_
    if question.to == EVERY:
        return [OneDomain(d) for d in estimator.domains_]
    if crossing is None:
        return [OneDomain(domain_called(known, question.to))]
    asked = called(crossing, known, question.to)
    for label in asked.reached(estimator.domains_):
        crossing.check(label)
    return [asked]


def asked_of(
    estimator: DomainCounterfactual, question: Question, file: TableFile, out: str
) -> "TableQuestion":
    """The question about one file, if it has the columns."""
    file = joined_file(file, estimator.domain_name_)
    check_columns(file, [*feature_names(estimator), *kept_names(estimator)])
    return TableQuestion(
        estimator,
        file,
        question.source,
        question.spread,
        every=question.to == EVERY,
        interval=question.interval,
        fill=question.fill,
        text=AnswerText(estimator, file) if file.is_text and is_text(out) else None,
        pairs=_pairs(estimator, question.pairs),
    )


def _pairs(estimator: DomainCounterfactual, path: str | None) -> list[Any] | None:
    """Those of a file, to calibrate intervals with."""
    if path is None:
        return None
    domain, known = str(estimator.domain_name_ or "domain"), estimator.domains_
    keep, levels = kept_names(estimator), [*estimator.space_.levels]

    def kept(file: TableFile, table: pa.Table) -> pd.DataFrame:
        return asked_covariates(estimator, file, table, 1)["covariates"]

    return read_pairs(path, domain, feature_names(estimator), known, levels, keep, kept)


def said(
    estimator: DomainCounterfactual,
    question: Question,
    targets: Sequence[Target],
    written: int,
    notes: Sequence[str],
) -> dict[str, Any]:
    """What was written, and what a reader must know of it."""
    return {
        "out": question.out,
        "to": [str(d) for d in targets],
        "rows": written // len(targets),
        "rows_written": written,
        "columns": answered_columns(estimator),
        "notes": [*notes],
    }
