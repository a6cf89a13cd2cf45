"""The plainest blocks of HTML: each takes text or other blocks, escapes the text, and is a block.

What a block takes as `Html` was made by another block; any other string is text, whatever it looks
like.
"""

from collections.abc import Iterable, Sequence

from elsewhere.escaping import Html, for_html


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


def folded(summary: str, inner: Html) -> Html:
    """What is there for those who open it."""
    return element("details", [element("summary", summary), inner]) if inner else Html()


def table(rows: Sequence[Sequence[str]], kind: str = "", best: int | None = None) -> Html:
    """The first row is the header; the row `best` of the others, counted from 0, stands out."""
    body = [_line(row, "td", "best" if i == best else "") for i, row in enumerate(rows[1:])]
    inner = [element("thead", _line(rows[0], "th")), element("tbody", body)]
    made = element("table", inner, kind)
    return Html(f'<div class="wide" tabindex="0">{made}</div>')


def _line(cells: Sequence[str], tag: str, kind: str = "") -> Html:
    return element("tr", [element(tag, cell) for cell in cells], kind)
