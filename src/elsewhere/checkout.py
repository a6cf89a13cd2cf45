"""Which commit of the package is running, where that is known."""

import subprocess
from functools import cache
from pathlib import Path

_HOME = Path(__file__)


@cache
def commit() -> str | None:
    """`git describe` of the checkout that the package runs from; None where it is installed."""
    if _git("ls-files", "--error-unmatch", _HOME.name) is None:
        return None  # git may well be there, for somebody else's files
    return _git("describe", "--always", "--dirty", "--tags")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(_HOME.parent), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
