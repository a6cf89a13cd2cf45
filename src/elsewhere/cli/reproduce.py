"""`elsewhere reproduce`: the experiments of the paper, and those on real tables."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from elsewhere.datasets.simulated import Bias


def reproduce(
    experiments: Annotated[
        list[str] | None, typer.Argument(help="S1 … S9, I1 … I5, I7, R1 … R5.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    seeds: Annotated[
        str | None, typer.Option(help="How many (10; images 3), or a range such as 10-19.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    data: Annotated[str, typer.Option(help="sparse, printed or both.")] = "both",
    rows: Annotated[int, typer.Option(help="Training rows a domain.")] = 100_000,
    domains: Annotated[int | None, typer.Option(help="Only cells with so many domains.")] = None,
    auto: Annotated[bool, typer.Option(help="Fit with k chosen from the data too.")] = False,
    recipe: Annotated[bool, typer.Option(help="Fit by the paper's recipe too.")] = False,
    entropic: Annotated[bool, typer.Option(help="Compare with entropic transport too.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at once.")] = 1,
    quick: Annotated[bool, typer.Option(help="Fewer cells, rows, images and seeds.")] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Data: mnist/ and fashion-mnist/ (images), the real tables (R1 …)."),
    ] = None,
    network: Annotated[str, typer.Option(help="Images: judges, small or resnet18.")] = "small",
    ks: Annotated[str, typer.Option(help="Images: also Can with these k, as 1,2,3,5,m.")] = "",
    models: Annotated[
        str,
        typer.Option(help="Only these: can,dense,recipe_can (images); elsewhere,ridge (R1 …)."),
    ] = "",
    draw: Annotated[
        int, typer.Option(min=0, help="Images: another draw of images, judges and autoencoder.")
    ] = 0,
) -> None:
    """Run experiments of the paper or on real tables; goes on where it stopped."""
    from rich.console import Console

    from elsewhere.experiments import reproduce as run
    from elsewhere.experiments.cells import cells_of
    from elsewhere.experiments.sweep import Plan

    if list_ or not experiments:
        Console().print(run.list_experiments())
        Console().print(_list_images())
        Console().print(_list_real())
        return
    command = " ".join(["elsewhere", *sys.argv[1:]])
    names = [name.upper() for name in experiments]
    images = [name for name in names if name.startswith("I")]
    if images:
        chosen = _seed_range(seeds or ("1" if quick else "3"))
        asked = chosen, _ks(ks), recipe, _network(network), jobs, _words(models)
        _images(images, out, asked, command, {"directory": data_dir, "quick": quick, "draw": draw})
        names = [name for name in names if name not in images]
    real = [name for name in names if name.startswith("R")]
    if real:
        _real(real, out, _seed_range(seeds or ("2" if quick else "10")), models, command, data_dir)
        names = [name for name in names if name not in real]
    if "S9" in names:
        _arrows(out / "S9", seeds or "10", 20_000 if quick else rows, recipe, command)
        names = [name for name in names if name != "S9"]
    if not names:
        return
    cells = [
        cell
        for name in names
        for bias in _biases(data)
        for cell in cells_of(name, bias, quick=quick, domains=domains)
    ]
    plan = Plan(
        seeds=range(2) if quick else _seed_range(seeds or "10"),
        rows=20_000 if quick else rows,
        auto=auto,
        recipe=recipe,
        entropic=entropic,
        jobs=jobs,
    )
    run.reproduce(cells, out, plan, command)


def _arrows(out: Path, seeds: str, rows: int, recipe: bool, command: str) -> None:
    from elsewhere.experiments.arrows import draw_arrows

    seed = _seed_range(seeds)[0]
    for path in draw_arrows(out, seed=seed, rows=rows, recipe=recipe, command=command):
        typer.echo(path)


def _images(
    names: list[str], out: Path, plan: tuple[Any, ...], command: str, where: dict[str, Any]
) -> None:
    from elsewhere.experiments.images.methods import ImagePlan
    from elsewhere.experiments.images.reproduce import reproduce_images

    for folder in reproduce_images(names, out, ImagePlan(*plan), command, **where):
        typer.echo(folder)


def _real(
    names: list[str], out: Path, seeds: range, models: str, command: str, directory: Path | None
) -> None:
    from elsewhere.experiments.real.reproduce import RealPlan, reproduce_real

    for folder in reproduce_real(names, out, RealPlan(seeds, _words(models)), command, directory):
        typer.echo(folder)


def _list_real() -> "Table":
    from elsewhere.experiments.real.reproduce import list_real

    return list_real()


def _list_images() -> "Table":
    from elsewhere.experiments.images.reproduce import list_images

    return list_images()


def _network(name: str) -> str:
    if name not in ("small", "resnet18"):
        raise ValueError(f"--network must be small or resnet18; got {name!r}.")
    return name


def _ks(text: str) -> "tuple[int | None, ...]":
    """Numbers, and None for m, the dimension."""
    if wrong := [part for part in _words(text) if part != "m" and not part.isdigit()]:
        raise ValueError(f"--ks must be numbers or m, as 1,2,3,5,m; got {wrong[0]!r}.")
    return tuple(None if part == "m" else int(part) for part in _words(text))


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


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
