"""What made a result: command, seeds, version, commit and machine."""

import os
import platform
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from elsewhere import __version__

_HOME = Path(__file__)
_VERSIONED = ("jax", "jaxlib", "equinox", "flowjax", "numpy")


def provenance(command: str, seeds: Sequence[int] = (), **more: Any) -> dict[str, Any]:
    """All that it takes to make a result again, for `made-by.json`."""
    return {
        "command": command,
        "seeds": [*seeds],
        "versions": {"elsewhere": __version__, **{n: version(n) for n in _VERSIONED}},
        "commit": commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        **more,
    }


@cache
def commit() -> str | None:
    """`git describe` of the checkout that the package runs from; None where it is installed."""
    if _git("ls-files", "--error-unmatch", _HOME.name) is None:
        return None  # git may well be there, for somebody else's files
    return _git("describe", "--always", "--dirty", "--tags")


@cache
def processor() -> str:
    """The model of the CPU, as far as the system says it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(_HOME.parent), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
