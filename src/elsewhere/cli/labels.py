"""Labels of domains in a table that is to be fitted: what a file can hold, and what reads alike."""

import re
import unicodedata
from collections.abc import Hashable, Iterable

from elsewhere.saving.labels import to_json

_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{0,15})?([eE][-+]?\d{1,2})?", re.ASCII)
_UNSEEN = re.compile("[\u200b-\u200d\u2060\ufeff]")  # spaces and joiners of no width


def check_labels(labels: Iterable[Hashable]) -> None:
    """Raise, before a fit rather than after, for labels that cannot be saved or told apart."""
    seen: dict[str, Hashable] = {}
    for label in labels:
        to_json(label)
        other = seen.setdefault(_reading(label), label)
        if other != label:
            raise ValueError(
                f"domains must not be called {other!a} and {label!a}, which differ only in spaces, "
                "in signs nobody sees or in how a number is written: make them one, or rename one."
            )


def _reading(label: Hashable) -> str:
    """The label without what nobody sees; 1.0 and 1e0 read like 1, and 007 like nothing else."""
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", str(label)).strip())
    if not _NUMBER.fullmatch(text):
        return text
    value = float(text)
    return repr(int(value) if value.is_integer() else value)
