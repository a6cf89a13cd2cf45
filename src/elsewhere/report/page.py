"""One self-contained HTML page: text, tables and pictures, nothing fetched from anywhere."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from elsewhere.files import write_whole
from elsewhere.report.style import DPI

_CSS = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #2b2b2b; margin: 0 auto; max-width: 56rem;
       padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid #ddd; }
p.lead { color: #666; margin-top: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { text-align: right; padding: .3rem .8rem; border-bottom: 1px solid #eee; }
th:first-child, td:first-child { text-align: left; }
tr.best td { font-weight: 600; }
img { max-width: 100%; height: auto; }
figure { margin: 1rem 0; }
figcaption { color: #666; font-size: .9rem; }
code { background: #f4f4f4; padding: .1rem .3rem; border-radius: 3px; }
@media print { body { max-width: none; padding: 0; } h2, figure, table { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Section:
    """A heading, paragraphs, and perhaps a table and pictures with captions."""

    title: str
    paragraphs: Sequence[str] = ()
    table: Sequence[Sequence[str]] = ()  # the first row is the header
    best_row: int | None = None
    pictures: Sequence[tuple[Figure, str]] = ()


def write_page(path: Path, title: str, lead: str, sections: Sequence[Section]) -> Path:
    """The page, written whole or not at all."""
    body = "\n".join(_section(section) for section in sections)
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_CSS}</style></head><body>"
        f'<h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p>{body}</body></html>\n'
    )
    return write_whole(path, html.encode())


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>"]
    parts += [f"<p>{escape(text)}</p>" for text in section.paragraphs]
    if section.table:
        parts.append(_table(section.table, section.best_row))
    parts += [_picture(figure, caption) for figure, caption in section.pictures]
    return "\n".join(parts)


def _table(rows: Sequence[Sequence[str]], best: int | None) -> str:
    def line(cells: Sequence[str], tag: str, marked: bool) -> str:
        inner = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
        return f'<tr class="best">{inner}</tr>' if marked else f"<tr>{inner}</tr>"

    body = "".join(line(row, "td", i == best) for i, row in enumerate(rows[1:]))
    return f'<div class="wide"><table>{line(rows[0], "th", False)}{body}</table></div>'


def _picture(figure: Figure, caption: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI)
    data = base64.b64encode(buffer.getvalue()).decode()
    return (
        f'<figure><img alt="{escape(caption, quote=True)}" src="data:image/png;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
