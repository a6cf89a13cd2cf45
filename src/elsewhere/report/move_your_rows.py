"""Drop rows here: the page carries the model and moves a reader's own rows, offline."""

import shlex

from elsewhere.escaping import Html
from elsewhere.report.blocks import data_block, element, heading, paragraph
from elsewhere.report.portable import NotCarriedError, Plain, portable
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import listed

_ZONE = Html(
    '<div id="drop" class="drop" hidden><div class="choices">'
    '<label>Move rows to <select id="drop-to"></select></label> '
    '<label>They come from <select id="drop-from"></select> <span class="small">(where the file '
    "does not say)</span></label></div>"
    '<p><label for="drop-file">Drop a CSV file here, or choose one: </label>'
    '<input type="file" id="drop-file" accept=".csv,.tsv,.txt,text/csv"></p>'
    '<p id="drop-said" role="status"></p><div id="drop-out"></div></div>'
)
_CAN = (
    "The page holds the fitted model. A CSV file with the same columns is moved here, in your "
    "browser; nothing is sent anywhere, and no connection is needed."
)
MOST_NAMED = 6


def move_your_rows(case: Case) -> list[Html]:
    """The zone and the model, where a page can carry it; else how to ask."""
    try:
        model = portable(case)
    except NotCarriedError as error:
        target = str(case.estimator.domains_[-1])
        return _section([_cannot(str(error), "rows", "DATA.csv", target, "moved.csv")])
    without = Html("<noscript><p>This needs scripts.</p></noscript>")
    said = [paragraph(_CAN), paragraph(_needed(model), "small")]
    return _section([*said, without, _ZONE, data_block("model", model)])


def move_your_images(target: str) -> list[Html]:
    """How to ask a model of images, which no page carries."""
    said = _cannot("a model of images", "images", "FOLDER", target, "moved")
    return _section([said], "images")


def _cannot(what: str, things: str, data: str, target: str, out: str) -> Html:
    """That a page cannot carry this, and the command that does it instead."""
    command = f"elsewhere counterfactual MODEL {data} --to {shlex.quote(target)} --out {out}"
    said = f"This page cannot carry {what}. Move your own {things} with "
    return element("p", [said, element("code", command), "."])


def _needed(model: Plain) -> str:
    """Which columns the file must have, and what happens to others and to empty cells."""
    names = [column["name"] for column in model["columns"]]
    names += [name for one in model["sums"] for name in (one["total"], *one["parts"])]
    names += [c["name"] for c in (model["covariates"] or {"columns": []})["columns"]]
    needed = listed(list(dict.fromkeys(names)), MOST_NAMED)
    domains = " and ".join(model["domain_columns"])
    where = f" The column {domains} says where each row comes from." if domains else ""
    return f"It needs the columns {needed}.{where} Other columns and empty cells stay as they are."


def _section(blocks: list[Html], things: str = "rows") -> list[Html]:
    """For the screen: paper cannot take rows."""
    return [element("section", [heading(f"Move your own {things}"), *blocks], "screen")]
