"""What becomes of the columns of a table, in groups that fit a terminal."""

import textwrap
from collections.abc import Iterator, Mapping

WIDTH = 80
MOST_NAMED = 8  # columns of a group that are named


def listed_columns(
    modelled: Mapping[str, str], carried: Mapping[str, str], kept: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Lines of at most 80 characters: modelled, kept, carried; grouped by how or why."""
    for what, columns in (("modelled", modelled), ("kept", kept or {}), ("carried", carried)):
        for why, names in _grouped(columns).items():
            yield from _lines(f"{what} ({why})", names)


def _grouped(columns: Mapping[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, why in columns.items():
        groups.setdefault(why, []).append(name)
    return groups


def _lines(head: str, names: list[str]) -> list[str]:
    more = [f"and {len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    shown = [" ".join(name.split()) for name in names[:MOST_NAMED]]
    text = f"{len(names):,} {head}: {', '.join([*shown, *more])}"
    return textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)
