"""The app's pages, of the report's blocks: whatever a user names is text in all of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elsewhere.app.store import CANCELLED, DONE, FAILED, RUNNING
from elsewhere.app.tables import KINDS, Column, suffixes
from elsewhere.escaping import Html, for_html
from elsewhere.report.blocks import ANSWERS, element, heading, paragraph, table, together

TITLE = "elsewhere"
MOST_SHOWN = 12  # domains whose sizes are listed
STATUS = {DONE: "done", RUNNING: "running", FAILED: "failed", CANCELLED: "cancelled"}


def document(title: str, body: Iterable[str], *, scripts: Sequence[str] = ("app.js",)) -> str:
    """A whole page; its style and scripts come from the app itself."""
    code = "".join(f'<script src="/static/{name}" defer></script>' for name in scripts)
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{for_html(title)}</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="/static/style.css">{code}'
    )
    top = '<header><nav><a class="home" href="/">elsewhere</a></nav></header>'
    inner = "\n".join(for_html(block) for block in body)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{top}<main>\n{inner}\n</main>'
        "</body></html>\n"
    )


def attributes(**values: object) -> str:
    """name="value" of each, escaped; True alone is its name, False and None are nothing."""
    found = []
    for name, value in values.items():
        key = name.rstrip("_").replace("_", "-")
        if value is True:
            found.append(key)
        elif value is not None and value is not False:
            found.append(f'{key}="{for_html(str(value))}"')
    return " ".join(found)


def tag(name: str, inner: str = "", /, **values: object) -> Html:
    """<name …>inner</name>; text is escaped."""
    return Html(f"<{name} {attributes(**values)}>{for_html(inner)}</{name}>")


def box(**values: object) -> Html:
    """<input …>."""
    return Html(f"<input {attributes(**values)}>")


def home(here: Mapping[str, list[dict[str, Any]]], images: Html, wrong: str = "") -> str:
    """Drop a table, or images; below, what is here already: tables, folders and fits."""
    endings = ", ".join(suffixes())
    form = tag(
        "form",
        together(
            [
                paragraph(
                    "Drop a table here: one row per sample, and one column that says where each "
                    "came from, as the hospital, the scanner or the batch."
                ),
                tag("label", f"Choose a file ({endings}): ", for_="file"),
                box(type="file", id="file", name="file", accept=endings, required=True),
                Html(" "),
                tag("button", "Open", type="submit", class_="button main"),
            ]
        ),
        method="post",
        action="/tables",
        enctype="multipart/form-data",
        class_="drop",
        id="drop-table",
    )
    example = tag(
        "form",
        together(
            [
                tag("button", "Try the example", class_="button", type="submit"),
                element("span", " 569 biopsies read by two scanners, one of them off.", "small"),
            ]
        ),
        method="post",
        action="/example",
    )
    body = [
        heading("What would it look like, had it come from elsewhere?", 1),
        paragraph("All is done on this machine: nothing you drop here leaves it.", "lead"),
        *problem(wrong),
        form,
        example,
        images,
        *_fits_here(here["fits"]),
        *_tables_here(here["tables"]),
        *_folders_here(here["folders"]),
    ]
    return document(TITLE, body)


def problem(words: str) -> list[Html]:
    """What went wrong, to be read first."""
    return [tag("p", words, role="alert", class_="problem")] if words else []


def _tables_here(tables: list[dict[str, Any]]) -> list[Html]:
    if not tables:
        return []
    rows = [["table", "rows", "columns", ""]]
    for one in tables:
        link = tag("a", one["file"], href=f"/tables/{one['id']}")
        rows.append([link, f"{one['rows']:,}", str(one["columns"]), _remove("tables", one["id"])])
    return [heading("Tables"), table(rows, "fixed")]


def _folders_here(folders: list[dict[str, Any]]) -> list[Html]:
    if not folders:
        return []
    rows = [["images", "number", "domains", ""]]
    for one in folders:
        link = tag("a", one["file"], href=f"/folders/{one['id']}")
        sizes = one.get("domains", {})
        counts = [f"{sum(sizes.values()):,}", str(len(sizes))]
        rows.append([link, *counts, _remove("folders", one["id"])])
    return [heading("Folders of images"), table(rows, "fixed")]


def _fits_here(fits: list[dict[str, Any]]) -> list[Html]:
    if not fits:
        return []
    rows = [["fit", "by", "state", "use the answers?", "compare", ""]]
    for one in fits:
        link = tag("a", one["asked"]["file"], href=f"/fits/{one['id']}")
        tick = box(type="checkbox", name="fit", value=one["id"], aria_label="compare", form="side")
        answer = ANSWERS.get(one.get("answer", ""), "–")
        state = STATUS[one["status"]]
        cells = [link, one["asked"]["domain"], state, answer, tick, _remove("fits", one["id"])]
        rows.append(cells)
    side = tag(
        "form",
        tag("button", "Compare the ticked fits", class_="button", type="submit"),
        action="/compare",
        id="side",
    )
    return [heading("Fits"), table(rows, "fixed text"), *([side] if len(fits) > 1 else [])]


def _remove(kind: str, name: str) -> Html:
    button = tag("button", "Remove", class_="button small", type="submit")
    return tag("form", button, method="post", action=f"/{kind}/{name}/remove")


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


def tick(name: str, value: str, words: str, *, checked: bool) -> Html:
    """A box to tick, with what it means."""
    made = box(type="checkbox", name=name, value=value, checked=checked, id=f"tick-{name}")
    return tag("p", together([made, Html(" "), tag("label", words, for_=f"tick-{name}")]))
