"""A page of the app and the tags it is made of: whatever a user names is text in all of them."""

from collections.abc import Iterable, Sequence

from elsewhere.escaping import Html, for_html
from elsewhere.markup import together


def document(title: str, body: Iterable[str], *, scripts: Sequence[str] = ("app.js",)) -> str:
    """A whole page; its style and scripts come from the app itself."""
    code = "".join(f'<script src="/static/{name}" defer></script>' for name in scripts)
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{for_html(title)}</title><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="/static/style.css">{code}'
    )
    top = '<header><nav><a class="home" href="/">elsewhere</a></nav></header>'
    inner = "\n".join(for_html(block) for block in body)
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{top}<main>\n{inner}\n</main>'
        "</body></html>\n"
    )


def attributes(**values: object) -> str:
    """name="value" of each, escaped; True alone is its name, False and None are nothing."""
    found = []
    for name, value in values.items():
        key = name.rstrip("_").replace("_", "-")
        if value is True:
            found.append(key)
        elif value is not None and value is not False:
            found.append(f'{key}="{for_html(str(value))}"')
    return " ".join(found)


def tag(name: str, inner: str = "", /, **values: object) -> Html:
    """<name …>inner</name>; text is escaped."""
    return Html(f"<{name} {attributes(**values)}>{for_html(inner)}</{name}>")


def box(**values: object) -> Html:
    """<input …>."""
    return Html(f"<input {attributes(**values)}>")


def tick(name: str, value: str, words: str, *, checked: bool) -> Html:
    """A box to tick, with what it means."""
    made = box(type="checkbox", name=name, value=value, checked=checked, id=f"tick-{name}")
    return tag("p", together([made, Html(" "), tag("label", words, for_=f"tick-{name}")]))


def problem(words: str) -> list[Html]:
    """What went wrong, to be read first."""
    return [tag("p", words, role="alert", class_="problem")] if words else []
