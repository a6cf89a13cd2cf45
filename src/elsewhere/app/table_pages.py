"""The page of a table: its columns, its domains, and what can be chosen of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.app.document import box, document, problem, tag, tick
from elsewhere.app.tables import KINDS, Column
from elsewhere.escaping import Html
from elsewhere.report.blocks import heading, paragraph, table, together

MOST_SHOWN = 12  # domains whose sizes are listed


def table_page(
    about: Mapping[str, Any],
    columns: Sequence[Column],
    domains: Sequence[str],
    sizes: Mapping[str, int],
    *,
    keeps: bool,
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
        _asking(about["id"], domain, columns, keeps),
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


def _asking(name: str, domain: str, columns: Sequence[Column], keeps: bool) -> Html:
    gaps = sum(c.gaps for c in columns if c.fate == "modelled")
    head = ["column", "holds", "gaps", "what becomes of it", "move it", "must not change"]
    rows = [[*head, *(["keep its effect"] if keeps else [])]]
    rows += [_choices(column, keeps) for column in columns if column.fate != "domain"]
    drop = tick("drop", "1", f"Leave out rows with gaps ({gaps} empty cells)", checked=False)
    planted = "Also test on simulated rows whose answer is known"
    thorough = "Also search for hidden causes that differ (minutes; at most 12 columns)"
    blocks = [
        heading("Columns"),
        table(rows, "fixed text"),
        *([drop] if gaps else []),
        tick("planted", "1", planted, checked=True),
        tick("thorough", "1", thorough, checked=False),
        box(type="hidden", name="domain", value=domain),
        tag("p", tag("button", "Fit", class_="button main", type="submit", id="fit")),
    ]
    return tag("form", together(blocks), method="post", action=f"/tables/{name}/fit")


def _choices(column: Column, keeps: bool) -> list[str]:
    fate = KINDS[column.fate] + (f": {column.why}" if column.why else "")
    moved = column.fate == "modelled"
    named = {"value": column.name, "type": "checkbox"}
    move = box(name="move", checked=moved, aria_label=f"move {column.name}", **named)
    stay = box(name="invariant", aria_label=f"{column.name} must not change", **named)
    kept = box(name="keep", aria_label=f"keep the effect of {column.name}", **named)
    nothing = Html("")
    cells = [column.name, column.holds, f"{column.gaps:,}" if column.gaps else "none", fate]
    return [*cells, *(([move, stay]) if moved else [nothing, nothing]), *([kept] if keeps else [])]
