"""Drop rows here: the page carries the model and moves a reader's own rows, offline."""

from elsewhere.escaping import Html
from elsewhere.report.blocks import data_block, element, heading, paragraph
from elsewhere.report.portable_model import portable
from elsewhere.trust.case import Case

_ZONE = Html(
    '<div id="drop" class="drop" hidden><div class="choices">'
    '<label>Move rows to <select id="drop-to"></select></label> '
    '<label>They come from <select id="drop-from"></select> <span class="small">(where the file '
    "does not say)</span></label></div>"
    '<p><label for="drop-file">Drop a CSV file here, or choose one: </label>'
    '<input type="file" id="drop-file" accept=".csv,.tsv,.txt,text/csv"></p>'
    '<p id="drop-said" role="status"></p><div id="drop-out"></div></div>'
)
_CANNOT = "This page cannot carry {}. Move your own rows with: elsewhere counterfactual MODEL DATA"
_CAN = (
    "The page holds the fitted model. A CSV file with the same columns is moved here, in your "
    "browser; nothing is sent anywhere, and no connection is needed."
)


def move_your_rows(case: Case) -> list[Html]:
    """The zone and the model, where a page can carry it; else how to ask."""
    model = portable(case)
    if model is None:
        kept = case.estimator.covariates_ is not None
        what = "a model that keeps covariates" if kept else "a model of this kind"
        return _section([paragraph(_CANNOT.format(what))])
    without = Html("<noscript><p>This needs scripts.</p></noscript>")
    return _section([paragraph(_CAN), without, _ZONE, data_block("model", model)])


def _section(blocks: list[Html]) -> list[Html]:
    """For the screen: paper cannot take rows."""
    return [element("section", [heading("Move your own rows"), *blocks], "screen")]
