"""`elsewhere demo`: from simulated domains to a report."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report and the pictures.")] = Path(
        "demo-output"
    ),
    seed: Annotated[
        int, typer.Option(help="Seed of the simulated truth.", min=0, max=2**32 - 1)
    ] = 0,
) -> None:
    """Simulate several domains, fit, ask, compare with the baselines, and write a report."""
    from elsewhere.report.demo import run_demo

    run_demo(out, seed)
