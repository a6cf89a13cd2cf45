"""The first page: where to drop a table or images, and what is here already."""

from collections.abc import Mapping
from typing import Any

from elsewhere.app.document import box, document, problem, tag
from elsewhere.app.store import CANCELLED, DONE, FAILED, RUNNING
from elsewhere.app.tables import suffixes
from elsewhere.escaping import Html
from elsewhere.markup import element, heading, paragraph, table, together

TITLE = "elsewhere"
STATUS = {DONE: "done", RUNNING: "running", FAILED: "failed", CANCELLED: "cancelled"}


def home(here: Mapping[str, list[dict[str, Any]]], images: Html, wrong: str = "") -> str:
    """Drop a table, or images; below, what is here already: tables, folders and fits."""
    body = [
        heading("What would it look like, had it come from elsewhere?", 1),
        paragraph("Everything runs on this machine: nothing you drop here leaves it.", "lead"),
        *problem(wrong),
        _drop_table(),
        _example(),
        images,
        *_fits_here(here["fits"]),
        *_tables_here(here["tables"]),
        *_folders_here(here["folders"]),
    ]
    return document(TITLE, body)


def _drop_table() -> Html:
    endings = ", ".join(suffixes())
    asked = (
        "Drop a table here: one row per sample, and one column that says where each came from, "
        "such as the hospital, the scanner or the batch."
    )
    file = box(type="file", id="file", name="file", accept=endings, required=True)
    parts = [
        paragraph(asked),
        tag("label", f"Choose a file ({endings}): ", for_="file"),
        file,
        Html(" "),
        tag("button", "Open", type="submit", class_="button main"),
    ]
    to = {"method": "post", "action": "/tables", "enctype": "multipart/form-data"}
    return tag("form", together(parts), **to, class_="drop", id="drop-table")


def _example() -> Html:
    button = tag("button", "Try the example", class_="button", type="submit")
    words = element("span", " 569 biopsies read by two scanners, one of them off.", "small")
    return tag("form", together([button, words]), method="post", action="/example")


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
        answer = one.get("answer", "–").capitalize()
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
