"""`elsewhere doctor`: versions, devices, and a small fit that must come out right."""

import os
import platform
import sys
import time

import typer

from elsewhere import __version__
from elsewhere.cli.output import print_table

NEEDED = ("jax", "jaxlib", "equinox", "flowjax", "numpy", "scipy", "scikit-learn", "pandas")
NEEDED += ("pyarrow", "matplotlib")
OPTIONAL = {"starlette": "app", "uvicorn": "app", "openpyxl": "app, for Excel", "ott-jax": "ot"}
SHIFT, NEAR = 2.0, 0.3  # of the self-test's second domain, and how near the answer must come


def doctor() -> None:
    """Show what is installed and on which devices it runs, and try a small fit (5 seconds)."""
    start = time.perf_counter()
    rows = [
        ("elsewhere", __version__),
        ("Python", f"{platform.python_version()}, {sys.executable}"),
    ]
    rows += [("system", f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores")]
    rows += [(name, _version(name)) for name in NEEDED]
    rows += [(f"{name} ({extra})", _version(name)) for name, extra in OPTIONAL.items()]
    rows += _devices()
    found = self_test()
    right = abs(found - SHIFT) < NEAR
    said = "right" if right else f"WRONG: a shift of {SHIFT:g} was found as {found:.2f}"
    rows += [("self-test", f"{said}, {time.perf_counter() - start:.1f} s in all")]
    print_table("", ["part", "found"], rows)
    if not right:
        raise typer.Exit(1)


def self_test() -> float:
    """The mean move between two simulated domains that differ by a shift of 2."""
    import numpy as np

    from elsewhere.estimators import DomainCounterfactual

    rng = np.random.default_rng(0)
    x = rng.standard_normal((400, 3))
    x[200:, 0] += SHIFT
    domains = np.repeat(["here", "there"], 200)
    fitted = DomainCounterfactual(mixing="moments").fit(x, domains)
    moved = fitted.counterfactual(x[:200], source="here", target="there")
    return float((moved - x[:200])[:, 0].mean())


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _devices() -> list[tuple[str, str]]:
    from elsewhere.compiled import keep_compiled

    own = keep_compiled()
    import jax

    devices = ", ".join(str(device) for device in jax.devices())
    given = getattr(jax.config, "jax_compilation_cache_dir", None) or "none"
    cache = given if own is None else own.parent.parent
    return [("devices", devices), ("compilation cache", str(cache))]
