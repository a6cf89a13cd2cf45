"""The panel of checks: a card each, with its numbers folded away."""

from collections.abc import Callable

from elsewhere.escaping import Html
from elsewhere.report.blocks import card, cards, folded, heading, numbers, picture, together
from elsewhere.report.table_report_pictures import errors_figure
from elsewhere.trust.case import Case
from elsewhere.trust.fit_quality import Difference
from elsewhere.trust.judgement import percent
from elsewhere.trust.planted import OURS
from elsewhere.trust.tables import Trust

Table = list[list[str]]


def panel(case: Case, trust: Trust) -> list[Html]:
    """Every check that was made, in its order; the assumptions have their own place."""
    made = [
        card(trust.titles[name], verdict, _inside(name, case, trust))
        for name, verdict in trust.verdicts.items()
        if name != "assumptions"
    ]
    return [heading("How far to trust it"), cards(made)]


def _inside(name: str, case: Case, trust: Trust) -> Html:
    """What a card holds when opened; a check without numbers here has its words alone."""
    if name == "planted":
        return _planted(trust)
    rows = NUMBERS[name](case, trust) if name in NUMBERS else []
    return numbers(rows) if len(rows) > 1 else Html()


def _planted(trust: Trust) -> Html:
    """A picture for the first truth, and the errors for all of them in numbers."""
    found = trust.planted.by_truth
    if not found:
        return Html()
    name, errors = next(iter(found.items()))
    caption = f"Mean squared error on simulated rows whose answer is known: {name}."
    figure = folded("Every method", picture(errors_figure(errors, OURS), caption))
    rows = [[*trust.tables[0].header], *([*row] for row in trust.tables[0].rows)]
    return together([figure, numbers(rows)])


def _fit(case: Case, trust: Trust) -> Table:
    rows = [["domain", "rows", "log-likelihood", "gained if all differs", "gained by a bell curve"]]
    for f in trust.fit.domains:
        gains = [_plus_minus(f.dense_gain), _plus_minus(f.gaussian_gain)]
        rows.append([str(f.domain), f"{f.rows:,}", f"{f.log_likelihood:.3f}", *gains])
    return rows


def _plus_minus(gain: Difference | None) -> str:
    return "–" if gain is None else f"{gain.mean:+.3f} ± {gain.error:.3f}"


def _likeness(case: Case, trust: Trust) -> Table:
    rows = [["pair", "difference left", "before", "p"]]
    ordered = sorted(trust.likeness.pairs, key=lambda one: -one.effect)
    return rows + [
        [
            f"{a.source} → {a.target}",
            f"{a.effect:.3f}",
            f"{a.effect_before:.3f}",
            f"{a.p_value:.3g}",
        ]
        for a in ordered
    ]


def _spread(case: Case, trust: Trust) -> Table:
    if trust.spread.candidates < 2:
        return []
    rows = [["pair", "rows exceeding", "widest column", "spread", "its move"]]
    for a in sorted(trust.spread.pairs, key=lambda one: -one.exceeding):
        j = max(range(len(a.spread)), key=lambda i, a=a: a.spread[i])
        wide = [case.names[j], f"{a.spread[j]:.2g}", f"{a.effect[j]:.2g}"]
        rows.append([f"{a.source} → {a.target}", percent(a.exceeding), *wide])
    return rows


def _support(case: Case, trust: Trust) -> Table:
    rows = [["pair", "far from the target", "unlikely rows"]]
    ordered = sorted(trust.support.pairs, key=lambda one: -max(one.far, one.unlikely_noise or 0))
    return rows + [
        [
            f"{a.source} → {a.target}",
            percent(a.far),
            "–" if a.unlikely_noise is None else percent(a.unlikely_noise),
        ]
        for a in ordered
    ]


def _conditioning(case: Case, trust: Trust) -> Table:
    found = trust.conditioning
    back = ["there and back, largest change", f"{found.there_and_back:.1e}"]
    if found.round_trip is None:
        return [["", "value"], back]
    return [
        ["", "value"],
        ["into hidden causes and back, largest change", f"{found.round_trip:.1e}"],
        back,
        ["stretch of the map, median", f"{found.median_condition:.3g}"],
        ["stretch of the map, largest", f"{found.largest_condition:.3g}"],
    ]


def _invariants(case: Case, trust: Trust) -> Table:
    rows = [["quantity", "change in standard deviations", "rows changed", "most for"]]
    return rows + [
        [a.name, f"{a.change:.2g}", percent(a.changed), a.worst_pair]
        for a in trust.invariants.invariants
    ]


NUMBERS: dict[str, Callable[[Case, Trust], Table]] = {
    "fit": _fit,
    "likeness": _likeness,
    "spread": _spread,
    "support": _support,
    "conditioning": _conditioning,
    "invariants": _invariants,
}
