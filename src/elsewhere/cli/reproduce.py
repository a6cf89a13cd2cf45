"""`elsewhere reproduce`: the experiments of the paper."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    experiments: Annotated[
        list[str] | None, typer.Argument(help="S1 … S11, I1 … I5, I7, R1 … R8.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments and stop.")] = False,
    seeds: Annotated[
        str | None,
        typer.Option(help="Number of seeds (default: 10; images 3), or a range such as 10-19."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results.")] = Path("results"),
    data: Annotated[str, typer.Option(help="Simulated data: sparse, printed or both.")] = "both",
    rows: Annotated[int, typer.Option(help="Training rows per domain.")] = 100_000,
    domains: Annotated[int | None, typer.Option(help="Only cells with this many domains.")] = None,
    couplings: Annotated[
        int | None, typer.Option(help="Only cells whose model has this many couplings: S7, S7K.")
    ] = None,
    auto: Annotated[bool, typer.Option(help="Also fit with k chosen from the data.")] = False,
    recipe: Annotated[bool, typer.Option(help="Also fit by the paper's recipe.")] = False,
    entropic: Annotated[bool, typer.Option(help="Also compare with entropic transport.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Number of parallel processes.")] = 1,
    on: Annotated[
        str | None, typer.Option(help="Run on an engine: ray. Simulations only; needs its extra.")
    ] = None,
    address: Annotated[
        str, typer.Option(help="The Ray cluster, as ray://head:10001 (default: start one here).")
    ] = "local",
    quick: Annotated[bool, typer.Option(help="Fewer cells, rows, images and seeds.")] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the published data (images: mnist/, fashion-mnist/, 3dshapes.h5, "
            "causal3dident/)."
        ),
    ] = None,
    network: Annotated[
        str, typer.Option(help="Images: network of the judges, small or resnet18.")
    ] = "small",
    ks: Annotated[str, typer.Option(help="Images: also Can with these k, e.g. 1,2,3,5,m.")] = "",
    models: Annotated[str, typer.Option(help="Only these models, e.g. can,dense,recipe_can.")] = "",
    pairs: Annotated[
        str,
        typer.Option(
            help="Images: also Can and Dense with this many images seen in two domains, e.g. 10,50."
        ),
    ] = "",
    draw: Annotated[
        int, typer.Option(min=0, help="Images: another draw of images, judges and autoencoder.")
    ] = 0,
) -> None:
    """Run experiments of the paper and write tables and figures; an interrupted run continues."""
    from elsewhere.compiled import keep_compiled

    keep_compiled()  # before JAX is imported
    from elsewhere.experiments.family import FAMILIES, by_family, family_called
    from elsewhere.terminal import console

    if list_ or not experiments:
        for letter in FAMILIES:
            console().print(family_called(letter).listing())
        return
    if on not in (None, "ray"):
        raise typer.BadParameter(f"--on must be ray; got {on!r}.")
    if on and (others := [name for name in experiments if name[:1].upper() != "S"]):
        raise typer.BadParameter(f"--on ray runs the simulations, S1 … S9; got {others}.")
    asked = {
        "seeds": seeds,
        "data": data,
        "rows": rows,
        "domains": domains,
        "couplings": couplings,
        "auto": auto,
        "recipe": recipe,
        "entropic": entropic,
        "jobs": jobs,
        "on": address if on else None,
        "quick": quick,
        "data_dir": data_dir,
        "network": network,
        "ks": ks,
        "models": models,
        "pairs": pairs,
        "draw": draw,
    }
    command = " ".join(["elsewhere", *sys.argv[1:]])
    for letter, names in by_family(experiments).items():
        for written in family_called(letter).run(names, out, asked, command):
            typer.echo(written)
