"""Beside simpler methods: on simulated rows whose answer is known, and on the rows themselves."""

from collections.abc import Hashable

import numpy as np

from elsewhere.baselines import available
from elsewhere.baselines.words import in_words
from elsewhere.escaping import Html
from elsewhere.report.blocks import heading, paragraph, table
from elsewhere.trust.case import Case, Rows
from elsewhere.trust.planted import OURS
from elsewhere.trust.tables import Trust
from elsewhere.trust.two_sample import ROWS, energy_test

DOMAINS, COLUMNS = 3, 200  # domains between which rows are moved, and columns up to which
_WIDE = (
    f"With more than {COLUMNS} columns this takes long, and is left out. ComBat's answers, to hold "
    "beside these: elsewhere counterfactual MODEL DATA --method combat --to DOMAIN --out FILE"
)


def compared(case: Case, trust: Trust) -> list[Html]:
    """A line for each method: its error where the truth is known, and what is left of the shift."""
    if len(case.names) > COLUMNS:
        return [heading("Beside other methods"), paragraph(_WIDE)]
    left = left_by_method(case)
    errors = trust.planted.errors if trust.planted is not None else {}
    base, shift = errors.get("identity", 0.0), left["identity"]
    rows = [
        [
            "elsewhere (this model)" if name == OURS else in_words(name),
            f"{100 * errors[name] / base:.1f} %" if name in errors and base else "–",
            f"{100 * value / shift:.1f} %" if shift else "–",
        ]
        for name, value in left.items()
    ]
    text = (
        "Error: on rows simulated from this model, whose answer is known, as a share of that of "
        "doing nothing. Left of the difference: how far moved rows still differ from the target's "
        "own; a method can bring this to zero and still answer wrongly for every single row."
    )
    head = ["method", "error", "left of the difference"]
    return [
        heading("Beside other methods"),
        paragraph(text),
        table([head, *rows], best=list(left).index(OURS)),
    ]


def left_by_method(case: Case) -> dict[str, float]:
    """The mean energy effect between moved and real rows of the largest domains, by method."""
    largest = sorted(case.linked, key=lambda d: -len(case.linked[d]))[:DOMAINS]
    pairs = [pair for pair in case.pairs if set(pair) <= set(largest)]
    kinds = available().items()
    fitted = {name: kind().fit_between(case.linked, largest) for name, kind in kinds}
    left = {OURS: np.mean([_left(case, case.carried[pair], pair) for pair in pairs])}
    for name, method in fitted.items():
        moved = [method.move(case.linked[d], d=d, d_prime=e) for d, e in pairs]
        left[name] = np.mean([_left(case, m, p) for m, p in zip(moved, pairs, strict=True)])
    return {name: float(value) for name, value in left.items()}


def _left(case: Case, moved: Rows, pair: tuple[Hashable, Hashable]) -> float:
    real, rng = case.linked[pair[1]], case.rng(7)
    some = [rng.permutation(rows)[:ROWS] / case.unit for rows in (moved, real)]
    return energy_test(some[0], some[1], rng, 1)[0]
