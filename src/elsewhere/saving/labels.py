"""Labels of domains and columns in JSON, and back to the same Python values."""

from collections.abc import Hashable
from datetime import date, datetime
from typing import Any

from elsewhere.saving import rules
from elsewhere.saving.rules import listed, plain, unique

MOST_DOMAINS = 10_000


def to_json(label: Hashable) -> Any:
    """Text, numbers and truth values as they are; dates and tuples by name."""
    if isinstance(label, str | bool | int | float | None):
        plain(label, "a label")
        return label
    if isinstance(label, datetime):  # pandas' Timestamp is one
        return {"timestamp": label.isoformat()}
    if isinstance(label, date):
        return {"date": label.isoformat()}
    if isinstance(label, tuple):
        return {"tuple": [to_json(part) for part in label]}
    raise ValueError(
        f"a label must be text, a number, a truth value, a date or a tuple of these to be saved; "
        f"got {label!r}. Fit with such labels."
    )


def from_json(value: Any) -> Hashable:
    """The label that `to_json` was given."""
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(from_json(part) for part in content)
    if kind == "date":
        return date.fromisoformat(content)
    import pandas as pd

    return pd.Timestamp(content)


def domains_from_json(values: Any) -> tuple[Hashable, ...]:
    """The domains' names, if they are names and all different."""
    listed(rules.label, 1, MOST_DOMAINS)(values, "domains")
    domains = tuple(from_json(value) for value in values)
    unique(domains, "domains")
    return domains
