"""A fitted estimator as a notebook shows it; one that is not fitted is scikit-learn's diagram."""

from typing import TYPE_CHECKING, Any

from elsewhere.escaping import Html
from elsewhere.estimators.sums import sums_in_words
from elsewhere.fitting.in_html import found, noted
from elsewhere.markup import element, folded, paragraph, table

if TYPE_CHECKING:
    from elsewhere.estimators.fitted_table import FittedTable

MOST_LISTED = 60  # domains or columns that are listed


def table_html(estimator: "FittedTable") -> Html:
    """The difference in words, what was considered, domains and their sizes, columns, notes."""
    named = f", by {estimator.domain_name_!r}" if estimator.domain_name_ is not None else ""
    count, m = len(estimator.domains_), len(estimator.links_)
    head = f"{type(estimator).__name__}, fitted to {count} domains{named} and {m} columns."
    columns = [[str(name), str(link)] for name, link in estimator.links_.items()]
    columns += [
        [name, words] for name, words in sums_in_words(estimator.space_.columns.sums).items()
    ]
    columns += [
        [str(name), "carried: it never varies"] for name in estimator.space_.columns.carried
    ]
    columns += [[str(name), f"carried: {why}"] for name, why in estimator.carried_.items()]
    blocks = [
        paragraph(head),
        *found(estimator.result_),
        _some(["domain", "rows fitted"], _sizes(estimator)),
        folded("Columns", _some(["column", "modelled as"], columns)),
        *noted(estimator.notes_),
    ]
    return element("div", blocks)


def diagram(estimator: Any) -> str:
    """scikit-learn's own picture of an estimator."""
    from sklearn.utils import estimator_html_repr

    return estimator_html_repr(estimator)


def _sizes(estimator: "FittedTable") -> list[list[str]]:
    """Domains and their rows, which a model saved by an early version does not know."""
    gaps = estimator.gaps_
    rows = (
        ["unknown"] * len(estimator.domains_) if gaps is None else [f"{n:,.0f}" for n in gaps.rows]
    )
    return [[str(d), n] for d, n in zip(estimator.domains_, rows, strict=True)]


def _some(head: list[str], rows: list[list[str]]) -> Html:
    more = [[f"and {len(rows) - MOST_LISTED:,} more", ""]] if len(rows) > MOST_LISTED else []
    return table([head, *rows[:MOST_LISTED], *more])
