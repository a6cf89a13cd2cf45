"""What made a result: command, seeds, version, commit and machine."""

import os
import platform
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from elsewhere import __version__
from elsewhere.checkout import commit

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
def processor() -> str:
    """The model of the CPU, as far as the system says it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
