"""The page of a table: its columns, its domains, and what can be chosen of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.app.document import box, document, problem, tag, tick
from elsewhere.app.tables import Column
from elsewhere.escaping import Html
from elsewhere.markup import element, folded, heading, paragraph, table, together

MOST_SHOWN = 12  # domains whose sizes are listed
OPEN, CHOICES = 24, 400  # columns shown at once, and columns for which there is a choice
MOVE, STAY, KEEP, LEAVE = "move", "stay", "keep", "leave"
HINT = (
    "Choose “covariate” for what samples differ in but no instrument changes, such as age, sex and "
    "diagnosis: their effects then stay in the answers."
)
USES = {
    MOVE: "move it",
    STAY: "must not change: check that",
    KEEP: "covariate: keep its effect",
    LEAVE: "leave it as it is",
}


def table_page(
    about: Mapping[str, Any],
    columns: Sequence[Column],
    domains: Sequence[str],
    sizes: Mapping[str, int],
    *,
    wrong: str = "",
) -> str:
    """The columns, the domains, and what can be chosen."""
    domain = next((c.name for c in columns if c.fate == "domain"), "")
    lead = f"{about['rows']:,} rows and {about['columns']} columns."
    choose = tag(
        "form",
        together(
            [
                tag("label", "Which column says where a row came from? ", for_="domain"),
                _select("domain", domains, domain),
                Html(" "),
                tag("button", "Show", class_="button", type="submit"),
            ]
        ),
        id="choose-domain",
    )
    body = [
        heading(str(about["file"]), 1),
        paragraph(lead, "lead"),
        *problem(wrong),
        choose,
        *_sizes(domain, sizes),
        _asking(about["id"], domain, columns),
    ]
    return document(str(about["file"]), body)


def no_domain_page(about: Mapping[str, Any]) -> str:
    """A table in which nothing can say where rows came from."""
    words = (
        "No column of this table can say where a row came from. There must be one that is filled "
        "in every row and has from 2 to 60 different labels, each at least twice."
    )
    return document(str(about["file"]), [heading(str(about["file"]), 1), *problem(words)])


def _select(name: str, options: Sequence[str], chosen: str) -> Html:
    made = [tag("option", one, value=one, selected=one == chosen) for one in options]
    return tag("select", together(made), name=name, id=name)


def _sizes(domain: str, sizes: Mapping[str, int]) -> list[Html]:
    rows = [[domain, "rows"], *([d, f"{n:,}"] for d, n in list(sizes.items())[:MOST_SHOWN])]
    more = len(sizes) - MOST_SHOWN
    left = [paragraph(f"And {more} more.", "small")] if more > 0 else []
    return [heading("Where rows came from"), table(rows, "fixed"), *left]


def _asking(name: str, domain: str, columns: Sequence[Column]) -> Html:
    gaps = sum(c.gaps for c in columns if c.fate == "modelled")
    cells = f"{gaps:,} empty cell" + ("s" if gaps > 1 else "")
    drop = tick("drop", "1", f"Leave out rows with gaps ({cells})", checked=False)
    planted = "Also test on simulated rows whose answer is known"
    thorough = "Also search for hidden causes that differ (minutes; at most 12 columns)"
    blocks = [
        heading("Columns"),
        paragraph(HINT, "small"),
        *_columns([(i, c) for i, c in enumerate(columns) if c.fate != "domain"]),
        *([drop] if gaps else []),
        tick("planted", "1", planted, checked=True),
        tick("thorough", "1", thorough, checked=False),
        box(type="hidden", name="domain", value=domain),
        tag("p", tag("button", "Fit", class_="button main", type="submit", id="fit")),
    ]
    return tag("form", together(blocks), method="post", action=f"/tables/{name}/fit")


def _columns(numbered: Sequence[tuple[int, Column]]) -> list[Html]:
    """Some columns, more folded away, and of the rest how many there are."""
    parts = numbered[:OPEN], numbered[OPEN:CHOICES]
    first, more = ([_choice(i, column) for i, column in part] for part in parts)
    head = ["column", "holds", "gaps", "what to do with it"]
    shown = [table([head, *first], "stack fixed")]
    if more:
        shown.append(folded(f"{len(more)} more columns", table([head, *more], "stack fixed")))
    if left := len(numbered) - CHOICES:
        words = f"{left:,} further columns are treated as the first: what can be moved is moved."
        shown += [paragraph(words, "small")] if left > 0 else []
    return shown


def _choice(i: int, column: Column) -> list[str]:
    gaps = f"{column.gaps:,} empty" if column.gaps else "no gaps"
    return [element("strong", column.name), column.holds, gaps, _use(i, column)]


def _use(i: int, column: Column) -> Html:
    """What can be done with a column; why it cannot be moved, where it cannot."""
    moved = column.fate == "modelled"
    uses = list(USES) if moved else [LEAVE, KEEP]
    options = together([tag("option", USES[use], value=use) for use in uses])
    chosen = tag("select", options, name=use_of(i), aria_label=f"what to do with {column.name}")
    return chosen if moved else together([chosen, element("span", f" {column.why}", "small")])


def use_of(i: int) -> str:
    """The name of the field that says what to do with column i."""
    return f"use-{i}"
