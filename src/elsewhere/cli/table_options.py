"""Options of `elsewhere fit` on a table: how columns are modelled, sums, missing values."""

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.cli.options import no_twice, read_k, words
from elsewhere.estimators.links import LEVELS


def table_settings(data: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the estimator that are asked for; a domain must be named, too."""
    if asked.get("domain") is None:
        raise ValueError(
            "--domain must name the column that says where a row came from, because "
            f"{data} is not a folder of images."
        )
    return {
        "mixing": asked.get("mixing") or "auto",
        "k": read_k(asked["k"]),
        "links": read_links(asked.get("links") or "auto"),
        "sums": read_sums(asked.get("sum") or ()),
        "columns": "all",
    }


def read_sums(texts: Sequence[str]) -> dict[str, list[str]]:
    """{"total": ["a", "b"]} from 'total = a + b'."""
    sums: dict[str, list[str]] = {}
    for text in texts:
        total, _, rest = text.partition("=")
        parts = [part.strip() for part in rest.split("+")]
        if total.strip() in sums:
            raise ValueError(f"--sum must give {total.strip()!r} once; got {text!r} as well.")
        if not total.strip() or not all(parts):
            raise ValueError(f"--sum must be like 'total = a + b'; got {text!r}.")
        sums[total.strip()] = parts
    return sums


def read_links(text: str) -> Any:
    """A kind for all columns, or a=kind,b=bounded:low:high,c=levels:low:mid:high."""
    if "=" not in text:
        return text
    parts = [part.rpartition("=") for part in words(text)]
    no_twice("--links", [name for name, *_ in parts])
    return {name: _spec(name, kind) for name, _, kind in parts}


def _spec(name: str, text: str) -> Any:
    kind, *bounds = text.split(":")
    if not bounds:
        return kind
    if kind == LEVELS:
        return (LEVELS, *map(_level, bounds))
    try:
        low, high = map(float, bounds)
    except ValueError:
        raise ValueError(f"--links must be like {name}=bounded:0:1; got {name}={text!r}.") from None
    return kind, low, high


def _level(text: str) -> Any:
    """A number where it reads like one, as the column is read."""
    try:
        return int(text)
    except ValueError:
        return text


def read_missing(asked: str) -> str:
    """What to do with missing values."""
    if asked not in ("keep", "drop", "refuse"):
        raise ValueError(f"--missing must be keep, drop or refuse; got {asked!r}.")
    return asked
