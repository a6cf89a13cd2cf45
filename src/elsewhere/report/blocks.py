"""The blocks of a report: HTML and plain CSS, nothing fetched from anywhere."""

import base64
import io
import platform
from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version

from matplotlib import rc_context
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator

from elsewhere.trust.verdict import AbstractTrust, Level, Verdict

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
CSS = """
:root { color-scheme: light; --ink: #2b2b2b; --soft: #5f5f5f; --line: #e2e2e2; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
       margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .6rem; padding-bottom: .2rem;
     border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
.lead, figcaption, .small { color: var(--soft); }
.small, figcaption { font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums;
        margin: .6rem 0; }
th, td { text-align: right; padding: .28rem .7rem; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th { font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
table.text th, table.text td, table.stack th, table.stack td { text-align: left; }
img { display: block; width: 100%; height: auto; }
figure { margin: .6rem 0; }
.grid { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); }
.grid figure { margin: 0; }
.cards { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
.card, .banner { border: 1px solid var(--line); border-left: .4rem solid; border-radius: .4rem;
                 padding: .7rem .9rem; background: #fff; }
.card h3 { margin: .15rem 0 .25rem; }
.card p { font-size: .94rem; margin: .25rem 0; }
.banner { margin: 1.2rem 0; }
.banner ul { margin: .4rem 0 0; padding-left: 1.2rem; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .82rem;
         font-weight: 600; white-space: nowrap; }
.good { border-left-color: #2f7d4f; } .badge.good { background: #e3f2e8; color: #1c5a36; }
.caution { border-left-color: #b7791f; } .badge.caution { background: #fdf0d5; color: #7a4d0b; }
.bad { border-left-color: #b3372f; } .badge.bad { background: #fbe3e1; color: #8a1f18; }
.unknown { border-left-color: #8a8a8a; } .badge.unknown { background: #eee; color: #4a4a4a; }
.badge { border-left-width: 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: #2b5f93; font-size: .92rem; }
pre { background: #f5f5f5; padding: .7rem .9rem; border-radius: .4rem; font-size: .85rem;
      white-space: pre-wrap; }
@media (max-width: 30rem) {
  body { padding: 1.2rem .8rem 3rem; } .cards { grid-template-columns: 1fr; }
  .grid { grid-template-columns: 1fr 1fr; } th, td { padding: .25rem .45rem; }
  table.stack thead { display: none; } table.stack td { display: block; padding: .1rem 0; }
  table.stack td { border: 0; } table.stack tr { display: block; padding: .5rem 0;
  border-bottom: 1px solid var(--line); }
}
@media print {
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  details:not([open]) { display: none; }
  h2, h3 { break-after: avoid; } figure, .card, .banner, tr { break-inside: avoid; }
  .cards { grid-template-columns: 1fr 1fr; } .grid { grid-template-columns: repeat(4, 1fr); }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""


def page(title: str, body: Iterable[str]) -> bytes:
    """The whole document."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style>"
    )
    inner = "\n".join(body)
    html = f'<html lang="en"><head>{head}</head><body>\n{inner}\n</body></html>'
    return f"<!doctype html>\n{html}\n".encode()


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def heading(text: str, level: int = 2) -> str:
    """A heading of plain text."""
    return f"<h{level}>{escape(text)}</h{level}>"


def bullets(texts: Iterable[str]) -> str:
    """A list of plain texts."""
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"


def badge(level: Level) -> str:
    """The level in a colour and in words."""
    return f'<span class="badge {level}">{escape(WORDS[level])}</span>'


def banner(trust: AbstractTrust) -> str:
    """What it all comes to, and the warnings."""
    level = trust.level
    inner = f"{badge(level)} <strong>{escape(HEADLINE[level])}</strong>{bullets(trust.warnings)}"
    return f'<div class="banner {level}">{inner}</div>'


def reproduced(estimator: BaseEstimator, command: str, drawn: str) -> list[str]:
    """The settings, the command and the versions, to do it again; `drawn` says what was."""
    settings = ", ".join(f"{name}={value!r}" for name, value in estimator.get_params().items())
    lines = [f"{type(estimator).__name__}({settings})", *([command] if command else [])]
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    text = f"Python {platform.python_version()}; {versions}. {drawn}"
    code = escape("\n".join(lines), quote=False)
    return [heading("How to reproduce"), f"<pre>{code}</pre>", paragraph(text, "small")]


def card(title: str, verdict: Verdict, more: str = "") -> str:
    """A check: its badge, what it found, and its numbers folded away."""
    return (
        f'<section class="card {verdict.level}">{badge(verdict.level)}'
        f"{heading(title, 3)}{paragraph(verdict.words)}{more}</section>"
    )


def folded(summary: str, inner: str) -> str:
    """What is there for those who open it."""
    return f"<details><summary>{escape(summary)}</summary>{inner}</details>" if inner else ""


def table(rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """The first row is the header; a cell that is a badge is left as it is."""

    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_cell(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows[1:])
    return (
        f'<div class="wide"><table class="{kind}"><thead>{line(rows[0], "th")}</thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def numbers(rows: Sequence[Sequence[str]]) -> str:
    """A table, folded away; of a long one the first rows."""
    more = f" (the first {MOST} of {len(rows) - 1})" if len(rows) - 1 > MOST else ""
    return folded(f"Numbers{more}", table(rows[: MOST + 1]))


def picture(figure: Figure, caption: str, *, shown: bool = True) -> str:
    """The figure as SVG inside the page, the caption also for those who cannot see it."""
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": "elsewhere"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    data = base64.b64encode(buffer.getvalue()).decode()
    words = f"<figcaption>{escape(caption)}</figcaption>" if shown else ""
    width = round(PIXELS_PER_INCH * figure.get_size_inches()[0])
    return (
        f'<figure><img style="max-width: {width}px" alt="{escape(caption, quote=True)}" '
        f'src="data:image/svg+xml;base64,{data}">{words}</figure>'
    )


def _cell(text: str) -> str:
    return text if text.startswith('<span class="badge') else escape(text)
