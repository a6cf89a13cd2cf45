"""The pages of a fit: while it runs, when it failed, when it is done, and beside others."""

import re
import shlex
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elsewhere.app.document import attributes, box, document, problem, tag
from elsewhere.app.fit_request import FitRequest
from elsewhere.app.image_fit_request import ImageFitRequest
from elsewhere.app.store import CANCELLED, FAILED
from elsewhere.escaping import Html
from elsewhere.markup import element, heading, paragraph, table, together
from elsewhere.trust.judgement import WORDS

if TYPE_CHECKING:
    from elsewhere.report.one_row import MovedCell

FEW = 5  # seconds, below which they are not counted
PAGE_SCRIPTS = ("report.js", "app.js")


def running_page(about: Mapping[str, Any]) -> str:
    """A bar, what is being done, the time left, and a way to stop it."""
    fraction = float(about.get("fraction", 0.0))
    bar = f"<progress {attributes(max=1, value=fraction, id='bar', aria_label='progress')}>"
    stop = tag("button", "Cancel", class_="button", type="submit", id="cancel")
    body = [
        heading(f"Fitting {about['asked']['file']}", 1),
        Html(
            f"<div {attributes(id='progress', data_fit=about['id'])}>{bar}</progress>"
            f"{tag('p', said(about), id='said', role='status')}</div>"
        ),
        tag("form", stop, method="post", action=f"/fits/{about['id']}/cancel"),
        Html("<noscript><p>Reload the page to see how far it is.</p></noscript>"),
    ]
    return document("Fitting", body)


def said(about: Mapping[str, Any]) -> str:
    """How far a fit is, in words."""
    done, until = f"{100 * float(about.get('fraction', 0)):.0f} %", about.get("until")
    left = f", {in_words(round(until - time.time()))} left" if until is not None else ""
    return f"{done}{left} ({about.get('text') or 'waiting'})"


def in_words(seconds: int) -> str:
    """a few seconds, about 40 s, about 3 min."""
    if seconds < FEW:
        return "a few seconds"
    return f"about {seconds} s" if seconds < 100 else f"about {round(seconds / 60)} min"


def ended_page(about: Mapping[str, Any]) -> str:
    """A fit that failed or was cancelled: why, and the way back."""
    words = {FAILED: "The fit failed. ", CANCELLED: ""}.get(about["status"], "")
    back = tag("a", "Back to the data", class_="button", href=_home(about["asked"]))
    title = f"No model of {about['asked']['file']}"
    return document(title, [heading(title, 1), *problem(f"{words}{about['text']}"), back])


def _home(asked: Mapping[str, Any]) -> str:
    """The page of the data that were fitted."""
    return f"/folders/{asked['folder']}" if "folder" in asked else f"/tables/{asked['table']}"


def images_page(
    about: Mapping[str, Any], asked: ImageFitRequest, domains: Sequence[str], report: Html
) -> str:
    """The whole report on images, and the downloads."""
    body = [
        heading(f"{asked.file}, by {asked.domain}", 1),
        paragraph(f"Fitted and checked in {about.get('took', 0):g} s.", "lead"),
        report,
        *_downloads(about["id"], asked, domains, "images", ("Model", "Report")),
    ]
    return document(asked.file, body, scripts=PAGE_SCRIPTS)


def done_page(
    about: Mapping[str, Any],
    asked: FitRequest,
    domains: Sequence[str],
    report: Html,
    *,
    interval: bool,
) -> str:
    """The whole report, one row in detail, and the downloads."""
    fit = about["id"]
    ask = tag(
        "form",
        together(
            [
                tag("label", "Row ", for_="row"),
                box(type="number", id="row", name="row", min=1, value=1),
                tag("label", " as if from ", for_="to"),
                _domains("to", domains),
                Html(" "),
                tag("button", "Show", class_="button", type="submit"),
            ]
        ),
        id="ask-row",
        action=f"/fits/{fit}/row",
        data_fit=fit,
    )
    body = [
        heading(f"{asked.file}, by {asked.domain}", 1),
        paragraph(f"Fitted and checked in {about.get('took', 0):g} s.", "lead"),
        report,
        heading("One row of your choice"),
        ask,
        tag("div", "", id="row-answer", aria_live="polite"),
        *_downloads(fit, asked, domains, "rows", ("Model", "Report", "Data"), interval=interval),
    ]
    return document(asked.file, body, scripts=PAGE_SCRIPTS)


def _domains(name: str, domains: Sequence[str]) -> Html:
    options = together([tag("option", one, value=one) for one in domains])
    return tag("select", options, name=name, id=name)


def _downloads(
    fit: str,
    asked: FitRequest | ImageFitRequest,
    domains: Sequence[str],
    what: str,
    files: Sequence[str],
    *,
    interval: bool = False,
) -> list[Html]:
    links = [
        tag("a", words, class_="button", href=f"/fits/{fit}/{words.lower()}", download=True)
        for words in files
    ]
    question = asked.question(domains[0], interval=interval)
    commands = [shlex.join(["elsewhere", *line]) for line in (*_typed(asked), question)]
    return [
        heading("Take it with you"),
        _all_answers(fit, domains, what),
        element("p", [part for link in links for part in (link, Html(" "))]),
        heading("The same on the command line", 3),
        element("pre", "\n".join(commands), "copy"),
        heading("The same in Python", 3),
        element("pre", asked.python(domains[0]), "copy"),
    ]


def _all_answers(fit: str, domains: Sequence[str], what: str) -> Html:
    chosen = Html(_domains("all-to", domains).replace('name="all-to"', 'name="to"'))
    label = tag("label", f"All {what} as if from ", for_="all-to")
    button = tag("button", "Download answers", class_="button", type="submit")
    return tag("form", together([label, chosen, Html(" "), button]), action=f"/fits/{fit}/answers")


def _typed(asked: FitRequest | ImageFitRequest) -> list[list[str]]:
    lines = asked.commands(Path(asked.file)).values()
    return [[a for a in line if a not in ("--json", "--force")] for line in lines]


def row_block(row: int, source: str, target: str, cells: list["MovedCell"]) -> Html:
    """One row before and after."""
    from elsewhere.report.one_row import row_table

    text = f"Row {row}, seen in {source}, as if it had come from {target}:"
    return together([paragraph(text), table(row_table(cells, source, target), "fixed")])


def compare_page(
    fits: Sequence[Mapping[str, Any]],
    trusts: Sequence[Mapping[str, Any]],
    differences: Sequence[str],
) -> str:
    """Several fits side by side: the answer, what differs, and every check."""
    titles = _titles(images=all(fit["asked"].get("columns") is None for fit in fits))
    names = list(dict.fromkeys(name for trust in trusts for name in trust["verdicts"]))
    head = ["", *(_title(fit) for fit in fits)]
    rows = [
        ["Should I use these answers?", *(t["decision"]["answer"].capitalize() for t in trusts)]
    ]
    moved = [fit["asked"].get("columns") for fit in fits]
    rows += [["Columns moved", *("images" if one is None else str(len(one)) for one in moved)]]
    rows += [["What differs", *(_without_tests(one) or "–" for one in differences)]]
    for name in names:
        found = [trust["verdicts"].get(name) for trust in trusts]
        cells = [f"{WORDS[v['level']]}. {v['words']}" if v else "not made" for v in found]
        rows.append([titles.get(name, str(name)), *cells])
    links = [tag("a", _title(fit), class_="button", href=f"/fits/{fit['id']}") for fit in fits]
    body = [heading("Side by side", 1), table([head, *rows], "text fixed"), element("p", links)]
    return document("Side by side", body)


def _without_tests(difference: str) -> str:
    """What differs, without p-values and what they ruled out."""
    return re.sub(r" \(p [^)]*\)|; nothing richer is supported", "", difference)


def _titles(*, images: bool) -> dict[str, str]:
    """The headings of all checks, in words of images or of tables where both have the same one."""
    from elsewhere.trust.checks import CHECKS
    from elsewhere.trust.images import IMAGE_TITLES

    of_tables = {name: check.title for name, check in CHECKS.items()}
    return of_tables | IMAGE_TITLES if images else IMAGE_TITLES | of_tables


def _title(fit: Mapping[str, Any]) -> str:
    asked = fit["asked"]
    return f"{asked['file']} by {asked['domain']} ({fit['id'][:4]})"
