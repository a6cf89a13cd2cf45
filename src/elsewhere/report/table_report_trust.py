"""The panel of checks: a card each, with its numbers folded away."""

from elsewhere.report.blocks import card, folded, heading, numbers, picture
from elsewhere.report.table_report_pictures import errors_figure
from elsewhere.trust.case import Case
from elsewhere.trust.fit_quality import Difference
from elsewhere.trust.planted import OURS
from elsewhere.trust.report import TITLES, Trust
from elsewhere.trust.verdict import percent

Table = list[list[str]]


def panel(case: Case, trust: Trust) -> list[str]:
    """Every check that was made, in the order of TITLES; the assumptions have their own place."""
    inside = _inside(case, trust)
    cards = [
        card(TITLES[name], verdict, inside.get(name, ""))
        for name, verdict in trust.verdicts.items()
        if name != "assumptions"
    ]
    return [heading("How far to trust it"), f'<div class="cards">{"".join(cards)}</div>']


def _inside(case: Case, trust: Trust) -> dict[str, str]:
    """What each card holds when opened."""
    inside = {
        "fit": numbers(_fit(trust)),
        "likeness": numbers(_likeness(trust)),
        "spread": numbers(_spread(case, trust)) if trust.spread.candidates > 1 else "",
        "support": numbers(_support(trust)),
        "conditioning": numbers(_conditioning(trust)),
    }
    if trust.invariants.invariants:
        inside["invariants"] = numbers(_invariants(trust))
    if trust.planted:
        figure = errors_figure(trust.planted.errors, OURS)
        caption = "Mean squared error on data simulated from the fitted model."
        inside["planted"] = folded("Every method", picture(figure, caption))
    return inside


def _fit(trust: Trust) -> Table:
    rows = [["domain", "rows", "nats a row", "Dense gains", "Gaussian gains"]]
    for f in trust.fit.domains:
        gains = [_plus_minus(f.dense_gain), _plus_minus(f.gaussian_gain)]
        rows.append([str(f.domain), f"{f.rows:,}", f"{f.log_likelihood:.3f}", *gains])
    return rows


def _plus_minus(gain: Difference | None) -> str:
    return "–" if gain is None else f"{gain.mean:+.3f} ± {gain.error:.3f}"


def _likeness(trust: Trust) -> Table:
    rows = [["pair", "effect", "before", "p"]]
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
    rows = [["pair", "rows exceeding", "widest column", "spread", "its move"]]
    for a in sorted(trust.spread.pairs, key=lambda one: -one.exceeding):
        j = max(range(len(a.spread)), key=lambda i, a=a: a.spread[i])
        wide = [case.names[j], f"{a.spread[j]:.2g}", f"{a.effect[j]:.2g}"]
        rows.append([f"{a.source} → {a.target}", percent(a.exceeding), *wide])
    return rows


def _support(trust: Trust) -> Table:
    rows = [["pair", "far from the target", "unlikely noise"]]
    ordered = sorted(trust.support.pairs, key=lambda one: -max(one.far, one.unlikely_noise))
    return rows + [
        [f"{a.source} → {a.target}", percent(a.far), percent(a.unlikely_noise)] for a in ordered
    ]


def _conditioning(trust: Trust) -> Table:
    found = trust.conditioning
    return [
        ["", "value"],
        ["g∘g⁻¹, largest change in deviations", f"{found.round_trip:.1e}"],
        ["there and back, largest change", f"{found.there_and_back:.1e}"],
        ["condition of g, median", f"{found.median_condition:.3g}"],
        ["condition of g, largest", f"{found.largest_condition:.3g}"],
    ]


def _invariants(trust: Trust) -> Table:
    rows = [["quantity", "change in deviations", "rows changed", "most for"]]
    return rows + [
        [a.name, f"{a.change:.2g}", percent(a.changed), a.worst_pair]
        for a in trust.invariants.invariants
    ]
