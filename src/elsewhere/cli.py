"""The command. Heavy imports happen inside the commands, so that `--help` answers at once."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elsewhere.datasets.simulated import Bias

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


@app.command()
def reproduce(
    experiment: Annotated[str, typer.Argument(help="S1 … S6; see --list.")] = "",
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    seeds: Annotated[str, typer.Option(help="How many seeds, or a range such as 10-19.")] = "10",
    out: Annotated[Path | None, typer.Option(help="Folder for the results.")] = None,
    data: Annotated[str, typer.Option(help="sparse, printed or both.")] = "both",
    rows: Annotated[int, typer.Option(help="Training rows a domain.")] = 100_000,
    domains: Annotated[int | None, typer.Option(help="Only cells with so many domains.")] = None,
    auto: Annotated[bool, typer.Option(help="Fit with k chosen from the data too.")] = False,
    quick: Annotated[bool, typer.Option(help="Fewer cells, two seeds, 20,000 rows.")] = False,
) -> None:
    """Run an experiment of the paper: rows, table and figure; goes on where it stopped."""
    from rich.console import Console

    from elsewhere.experiments import reproduce as run

    if list_ or not experiment:
        Console().print(run.list_experiments())
        return
    run.reproduce(
        experiment.upper(),
        out or Path("results") / experiment.upper(),
        seeds=range(2) if quick else _seed_range(seeds),
        biases=_biases(data),
        rows=20_000 if quick else rows,
        auto=auto,
        quick=quick,
        domains=domains,
        command=" ".join(["elsewhere", *sys.argv[1:]]),
    )


def _seed_range(text: str) -> range:
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()):
        raise ValueError(f"--seeds must be a number or a range such as 10-19; got {text!r}.")
    chosen = range(int(first), int(last) + 1) if dash else range(int(first))
    if not chosen:
        raise ValueError(
            f"--seeds must name at least one seed; got {text!r}. Use e.g. 10 or 10-19."
        )
    return chosen


def _biases(text: str) -> "Sequence[Bias]":
    choices: dict[str, tuple[Bias, ...]] = {
        "sparse": ("sparse",),
        "printed": ("printed",),
        "both": ("sparse", "printed"),
    }
    if text not in choices:
        raise ValueError(f"--data must be one of {', '.join(choices)}; got {text!r}.")
    return choices[text]


def main() -> None:
    """Run the command; a user's mistake is one line on stderr and exit code 1."""
    try:
        app()
    except (ValueError, OSError) as error:
        sys.stderr.write(f"elsewhere: {' '.join(str(error).split())}\n")
        raise SystemExit(1) from None
