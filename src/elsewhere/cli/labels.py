"""Labels of domains in a table that is to be fitted: what a file can hold, and what reads alike."""

import re
from collections.abc import Hashable, Iterable

from elsewhere.saving.labels import to_json

_WHOLE = re.compile(r"(-?\d+)\.0*")


def check_labels(labels: Iterable[Hashable]) -> None:
    """Raise, before a fit rather than after, for labels that cannot be saved or told apart."""
    seen: dict[str, Hashable] = {}
    for label in labels:
        to_json(label)
        other = seen.setdefault(_reading(label), label)
        if other != label:
            raise ValueError(
                f"domains must not be called {other!r} and {label!r}, which differ only in spaces "
                "or in how a number is written: make them one, or rename one."
            )


def _reading(label: Hashable) -> str:
    """The label without spaces around it; 1.0 reads like 1, and 007 like nothing else."""
    text = str(label).strip()
    whole = _WHOLE.fullmatch(text)
    return whole[1] if whole else text
