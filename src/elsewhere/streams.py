"""Standard output: text for people in their locale, and for programs in UTF-8."""

import os
import sys
from io import TextIOWrapper
from typing import Any


def open_streams() -> None:
    """A closed stream, as by `>&-`, swallows what is said; what a locale lacks is written out."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 - as long as the process
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def out_for_programs() -> Any:
    """Standard output, a text stream, in UTF-8 and with plain line ends, whatever the locale."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    return sys.stdout
