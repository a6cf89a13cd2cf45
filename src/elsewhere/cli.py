"""The command. Heavy imports happen inside the commands, so that `--help` answers at once."""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="elsewhere",
    help="What would this sample look like, had it come from elsewhere?",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def _root() -> None:
    """What would this sample look like, had it come from elsewhere?"""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the report and the pictures.")] = Path(
        "demo-output"
    ),
    seed: Annotated[int, typer.Option(help="Seed of the simulated truth.")] = 0,
) -> None:
    """Simulate several domains, fit, ask, compare with the baselines, and write a report."""
    from elsewhere.report.demo import run_demo

    run_demo(out, seed)


def main() -> None:
    """Run the command; a user's mistake is one line on stderr and exit code 1."""
    try:
        app()
    except (ValueError, OSError) as error:
        sys.stderr.write(f"elsewhere: {' '.join(str(error).split())}\n")
        raise SystemExit(1) from None
