"""The one place that escapes: whatever a user can name is text, and never markup or code.

Names of columns and domains, file names, notes and messages come from files that anybody may have
written. What is shown goes through one of these functions, by where it is shown.
"""

import unicodedata
from html import escape

_UNSEEN = {"Cc", "Cs", "Zl", "Zp"}  # control, surrogate, and separators of lines and paragraphs
_TURNING = {*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"}  # they reorder what follows


class Html(str):
    """Markup that was made here; any other string is text. An f-string of it is text again."""

    __slots__ = ()


def for_html(text: str) -> Html:
    """The text as HTML shows it, also within quotes; markup made here stays what it is."""
    return text if isinstance(text, Html) else Html(escape(text, quote=True))


def for_terminal(text: str) -> str:
    """The text with what would steer a terminal written out, as \\x1b; lines and tabs stay."""
    return "".join(_written_out(c) if _steers(c) else c for c in text)


def for_picture(text: str) -> str:
    """The text with every $ taken literally: matplotlib reads what stands between two as maths.

    What no font can draw, as a control character, is written out.
    """
    return for_terminal(text).replace("\t", " ").replace("$", r"\$")


def _steers(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) in _UNSEEN or character in _TURNING


def _written_out(character: str) -> str:
    return character.encode("unicode_escape").decode()
