"""The blocks of a page, made of those of `elsewhere.markup`: text is escaped, blocks stay."""

import base64
import json
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from matplotlib.figure import Figure
from sklearn.base import BaseEstimator

from elsewhere.escaping import Html, for_html
from elsewhere.markup import bullets as bullets
from elsewhere.markup import element, folded, heading, paragraph, table
from elsewhere.markup import together as together
from elsewhere.report.style import as_svg
from elsewhere.trust.decision import QUESTION, Reason
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.judgement import WORDS, Judgement, Level

PACKAGES = ("elsewhere", "jax", "equinox", "flowjax", "numpy", "scikit-learn")
MOST_ROWS = 40  # rows of a folded table
PIXELS_PER_INCH = 110  # at most; pictures shrink with the page


def badge(level: Level) -> Html:
    """The level in a colour and in words."""
    return element("span", WORDS[level], f"badge {level}")


def banner(trust: AbstractTrust) -> Html:
    """Should I use these answers? The answer, and the two reasons that decide."""
    found = trust.decision
    question = element("h2", QUESTION)
    answer = element("p", found.answer.capitalize(), f"answer {found.level}")
    reasons = element("ol", [_reason(reason) for reason in found.reasons], "reasons")
    unseen = [paragraph(found.unseen, "small")] if found.unseen else []
    inner = [question, answer, paragraph(found.headline, "headline"), reasons, *unseen]
    return element("section", inner, f"banner {found.level}")


def _reason(reason: Reason) -> Html:
    verdict = reason.verdict
    do = [Html(" "), element("span", verdict.remedy, "do")] if verdict.remedy else []
    return element("li", [element("strong", reason.title), Html(" "), verdict.words, *do])


def data_block(name: str, data: object) -> Html:
    """Plain data for the page's scripts; nothing in it can end the block or be run."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Html(f'<script type="application/json" id="{for_html(name)}">{safe}</script>')


def reproduced(estimator: BaseEstimator, command: str, drawn: str) -> list[Html]:
    """The settings, the command and the versions, to do it again; `drawn` says what was."""
    settings = ", ".join(f"{name}={value!r}" for name, value in estimator.get_params().items())
    lines = [f"{type(estimator).__name__}({settings})", *([command] if command else [])]
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    text = f"Python {platform.python_version()}; {versions}. {drawn}"
    return [
        heading("How to reproduce"),
        element("pre", "\n".join(lines)),
        paragraph(text, "small"),
    ]


def card(title: str, verdict: Judgement, more: Html | None = None) -> Html:
    """A check: its badge, what it found, and its numbers folded away."""
    inner = [badge(verdict.level), heading(title, 3), paragraph(verdict.words)]
    inner += [paragraph(verdict.measure, "small")] if verdict.measure else []
    inner += [paragraph(f"What to do: {verdict.remedy}", "do")] if verdict.remedy else []
    inner += [more] if more else []
    return element("section", inner, f"card {verdict.level}")


def cards(inner: Iterable[Html]) -> Html:
    """Cards side by side, as many as the page is wide."""
    return element("div", inner, "cards")


def numbers(rows: Sequence[Sequence[str]]) -> Html:
    """A table, folded away; of a long one the first rows."""
    more = f" (the first {MOST_ROWS} of {len(rows) - 1})" if len(rows) - 1 > MOST_ROWS else ""
    return folded(f"Numbers{more}", table(rows[: MOST_ROWS + 1]))


def picture(figure: Figure, caption: str, *, shown: bool = True) -> Html:
    """The figure as SVG inside the page, the caption also for those who cannot see it."""
    data = base64.b64encode(as_svg(figure)).decode()
    width = round(PIXELS_PER_INCH * figure.get_size_inches()[0])
    image = Html(
        f'<img style="max-width: {width}px" alt="{for_html(caption)}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
    return element("figure", [image, *([element("figcaption", caption)] if shown else [])])
