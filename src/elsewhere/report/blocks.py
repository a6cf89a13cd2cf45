"""The blocks of a page: each takes text or other blocks, escapes the text, and is a block.

What a block takes as `Html` was made by another block; any other string is text, whatever it looks
like.
"""

import base64
import io
import json
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from matplotlib import rc_context
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator

from elsewhere.escaping import Html, for_html
from elsewhere.report.style import DPI
from elsewhere.trust.decision import QUESTION, Answer, Reason
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.judgement import WORDS, Judgement, Level

ANSWERS: dict[Answer, str] = {"yes": "Yes", "with care": "With care", "no": "No"}
PACKAGES = ("elsewhere", "jax", "equinox", "flowjax", "numpy", "scikit-learn")
MOST = 40  # rows of a folded table
PIXELS_PER_INCH = 110  # at most; pictures shrink with the page


def element(tag: str, inner: Iterable[str] | str, kind: str = "") -> Html:
    """<tag class="kind">inner</tag>; texts are escaped, blocks stay."""
    parts = [inner] if isinstance(inner, str) else inner
    opened = f'<{tag} class="{for_html(kind)}">' if kind else f"<{tag}>"
    return Html(f"{opened}{''.join(for_html(part) for part in parts)}</{tag}>")


def together(blocks: Iterable[Html]) -> Html:
    """Blocks one after the other."""
    return Html("".join(for_html(block) for block in blocks))


def paragraph(text: str, kind: str = "") -> Html:
    """A paragraph of plain text."""
    return element("p", text, kind)


def heading(text: str, level: int = 2) -> Html:
    """A heading of plain text."""
    return element(f"h{level}", text)


def bullets(texts: Iterable[str]) -> Html:
    """A list of plain texts."""
    return element("ul", [element("li", text) for text in texts])


def badge(level: Level) -> Html:
    """The level in a colour and in words."""
    return element("span", WORDS[level], f"badge {level}")


def banner(trust: AbstractTrust) -> Html:
    """Should I use these answers? The answer, and the two reasons that decide."""
    found = trust.decision
    question = element("h2", QUESTION)
    answer = element("p", ANSWERS[found.answer], f"answer {found.level}")
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


def folded(summary: str, inner: Html) -> Html:
    """What is there for those who open it."""
    return element("details", [element("summary", summary), inner]) if inner else Html()


def table(rows: Sequence[Sequence[str]], kind: str = "", best: int | None = None) -> Html:
    """The first row is the header; the row `best` of the others, counted from 0, stands out."""
    body = [_line(row, "td", "best" if i == best else "") for i, row in enumerate(rows[1:])]
    inner = [element("thead", _line(rows[0], "th")), element("tbody", body)]
    made = element("table", inner, kind)
    return Html(f'<div class="wide" tabindex="0">{made}</div>')


def numbers(rows: Sequence[Sequence[str]]) -> Html:
    """A table, folded away; of a long one the first rows."""
    more = f" (the first {MOST} of {len(rows) - 1})" if len(rows) - 1 > MOST else ""
    return folded(f"Numbers{more}", table(rows[: MOST + 1]))


def picture(figure: Figure, caption: str, *, shown: bool = True) -> Html:
    """The figure as SVG inside the page, the caption also for those who cannot see it."""
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "elsewhere"}):
        figure.savefig(buffer, format="svg", dpi=DPI, metadata={"Date": None, "Creator": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    width = round(PIXELS_PER_INCH * figure.get_size_inches()[0])
    image = Html(
        f'<img style="max-width: {width}px" alt="{for_html(caption)}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )
    return element("figure", [image, *([element("figcaption", caption)] if shown else [])])


def _line(cells: Sequence[str], tag: str, kind: str = "") -> Html:
    return element("tr", [element(tag, cell) for cell in cells], kind)
