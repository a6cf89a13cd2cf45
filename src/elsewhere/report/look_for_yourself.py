"""What the page needs so that a reader can choose a column and two domains: shares, no rows."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from jaxtyping import Float

from elsewhere.escaping import Html
from elsewhere.report.blocks import data_block, element, heading, paragraph, together
from elsewhere.trust.case import Case, Pair
from elsewhere.trust.moves import values_of
from elsewhere.trust.tables import Trust

BINS, COLUMNS, HISTOGRAMS = 24, 24, 4_500  # at most so many columns, and histograms of moved rows
Values = Float[np.ndarray, " n"]

_FOLLOWS = "If the answer is good, the line follows the second."
_AS_KEPT = (
    "What covariates explain stays with a row, so the line differs from the second where their "
    "covariates differ."
)
_CONTROLS = Html(
    '<div id="look" hidden><div class="choices">'
    '<label>Column <select id="look-column"></select></label> '
    '<label>From <select id="look-from"></select></label> '
    '<label>To <select id="look-to"></select></label></div>'
    '<ul id="look-key" class="key"></ul><div id="look-chart"></div>'
    '<p id="look-said" class="small" aria-live="polite"></p></div>'
)


def look_for_yourself(case: Case, trust: Trust) -> list[Html]:
    """The chooser and its data; without scripts the pictures below it say the same of some."""
    kept = case.estimator.covariates_ is not None
    text = (
        "Choose a column and two domains. Filled: the rows of each domain. Line: the rows of the "
        f"first moved to the second. {_AS_KEPT if kept else _FOLLOWS}"
    )
    without = Html("<noscript><p>This needs scripts; the pictures below do not.</p></noscript>")
    data = data_block("looks", looks(case, trust))
    block = together([paragraph(text), without, _CONTROLS, data])
    return [element("section", [heading("Look for yourself"), block], "screen")]


def looks(case: Case, trust: Trust) -> dict[str, Any]:
    """Shares of rows by bin, for each domain and, moved, for each pair, of the first columns."""
    columns = list(trust.moves.by_column())[:COLUMNS]
    pairs = list(trust.moves.by_pair())[: max(HISTOGRAMS // len(columns), 1)]
    used = list(dict.fromkeys(d for pair in pairs for d in pair))
    seen = {d: values_of(case, case.given[d]) for d in used}
    moved = {pair: _moved(case, pair) for pair in pairs}
    return {
        "domains": [str(d) for d in used],
        "pairs": [[used.index(d), used.index(e)] for d, e in pairs],
        "columns": [_column(case, name, seen, moved) for name in columns],
    }


def _column(
    case: Case, name: str, seen: dict[Hashable, np.ndarray], moved: dict[Pair, np.ndarray]
) -> dict[str, Any]:
    j, levels = case.names.index(name), case.estimator.space_.level_names(name)
    every = [np.quantile(x[:, j], [0.005, 0.995]) for x in (*seen.values(), *moved.values())]
    low, high = np.min(every), np.max(every)
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    edges = np.arange(len(levels) + 1) - 0.5 if levels else edges
    return {
        "name": name,
        "levels": levels,
        "edges": [float(f"{edge:.6g}") for edge in edges],
        "seen": [_shares(x[:, j], edges) for x in seen.values()],
        "moved": [_shares(x[:, j], edges) for x in moved.values()],
        "medians": [float(np.median(x[:, j])) for x in seen.values()],
        "moved_medians": [float(np.median(x[:, j])) for x in moved.values()],
    }


def _shares(values: Values, edges: Float[np.ndarray, " b"]) -> list[float]:
    counts = np.histogram(np.clip(values, edges[0], edges[-1]), edges)[0]
    return [round(float(count), 4) for count in counts / max(len(values), 1)]


def _moved(case: Case, pair: Pair) -> np.ndarray:
    answer = case.answer(pair)
    return values_of(case, answer)
