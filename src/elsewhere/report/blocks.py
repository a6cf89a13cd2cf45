"""The blocks of a page: each takes text or other blocks, escapes the text, and is a block.

What a block takes as `Html` was made by another block; any other string is text, whatever it looks
like.
"""

import base64
import io
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version

from matplotlib import rc_context
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator

from elsewhere.escaping import Html, for_html
from elsewhere.report.style import DPI
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.judgement import Judgement, Level

WORDS: dict[Level, str] = {
    "good": "✓ good",
    "caution": "! look here",
    "bad": "✕ in doubt",
    "unknown": "? not known",
}
HEADLINE: dict[Level, str] = {
    "good": "Nothing speaks against these answers.",
    "caution": "Usable with care: look at the points below first.",
    "bad": "Some answers are in doubt: read the points below before using them.",
    "unknown": "Too little could be checked.",
}
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
    """What it all comes to, and the warnings."""
    headline = element("strong", HEADLINE[trust.level])
    inner = [badge(trust.level), Html(" "), headline, bullets(trust.warnings)]
    return element("div", inner, f"banner {trust.level}")


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
    return element("div", element("table", inner, kind), "wide")


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
