"""`elsewhere fit`: from a table, or a folder of images, to a model."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from elsewhere.cli.kinds import IMAGES, TABLES, kind_called, kind_of_data
from elsewhere.cli.listing import listed_columns
from elsewhere.cli.options import AsJson, Data, Force, Seed, check_free
from elsewhere.cli.output import print_json, remark

_OF_TABLES, _OF_IMAGES = "For tables", "For folders of images"


def fit(
    data: Data,
    out: Annotated[Path | None, typer.Option(help="Model file to write.")] = None,
    k: Annotated[
        str,
        typer.Option(help="Number of mechanisms that differ: auto (images: 1), dense, or 0, 1, …"),
    ] = "auto",
    seed: Seed = 0,
    as_json: AsJson = False,
    force: Force = False,
    domain: Annotated[
        str | None,
        typer.Option(
            help="Column that says where each row came from; or two or three, e.g. site,scanner, "
            "whose effects add up.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    mixing: Annotated[
        str | None,
        typer.Option(
            help="auto (default), linear, leaky, real_nvp or spline.", rich_help_panel=_OF_TABLES
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns to model, e.g. a,b,c (default: all columns of amounts).",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    na: Annotated[
        str | None,
        typer.Option(
            help="Text that marks a missing value, e.g. ?,unknown.", rich_help_panel=_OF_TABLES
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            help="What to do with missing values: keep (default), drop their rows, or refuse.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            help="Covariates, e.g. age,sex,diagnosis. They stay unchanged, and what they explain "
            "does not count as a difference between domains.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    learn_on: Annotated[
        str | None,
        typer.Option(
            help="Learn only from these rows, e.g. 'diagnosis == \"control\" and age < 60'.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    carried: Annotated[
        float | None,
        typer.Option(
            help="With --keep: share of the variation not explained by covariates that moves "
            "with a row (default: 1).",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    links: Annotated[
        str | None,
        typer.Option(
            help="Type of each column: auto (default), identity, positive, or one by one, e.g. "
            "age=integer,p=bounded:0:1. For ordered levels stage=levels:low:mid:high.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    sums: Annotated[
        list[str] | None,
        typer.Option(
            "--sum",
            help="A sum that holds in every row, e.g. 'total = a + b', and then in every answer "
            "(can be repeated).",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            help="Samples seen in two domains. A table: DATA's columns (those of --keep, too), and "
            "one called pair that says which rows are of one sample. Images: a folder with one "
            "sub-folder per domain, where files of the same name show the same thing.",
        ),
    ] = None,
    most_rows: Annotated[
        int | None,
        typer.Option(
            help="Fit to a random sample of at most this many rows per domain (default: all; "
            "200000 for a directory).",
            min=1,
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    dry_run: Annotated[
        bool | None,
        typer.Option(
            "--dry-run",
            help="List which columns would be modelled or carried through, and why; then stop.",
            rich_help_panel=_OF_TABLES,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(
            help="Resize images to SIZE × SIZE pixels.", rich_help_panel=_OF_IMAGES, min=8
        ),
    ] = None,
    m: Annotated[
        int | None, typer.Option(help="Latent dimension (default: 20).", rich_help_panel=_OF_IMAGES)
    ] = None,
    colours: Annotated[
        int | None,
        typer.Option(
            help="Latent dimensions for colour, if domains differ in colour, e.g. 6.",
            rich_help_panel=_OF_IMAGES,
        ),
    ] = None,
    far: Annotated[
        bool | None,
        typer.Option(
            "--far",
            help="Domains differ strongly, e.g. by a rotation of 90°.",
            rich_help_panel=_OF_IMAGES,
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            help="Training steps of the autoencoder (default: 2,000).", rich_help_panel=_OF_IMAGES
        ),
    ] = None,
) -> None:
    """Fit a model to a table with a column of domains, or to images in one folder per domain."""
    if out is None and not dry_run:
        raise typer.BadParameter("--out must name the model file to write; or use --dry-run.")
    out = Path() if out is None else out
    if not dry_run:
        check_free(out, force, data)
    by_kind = {
        TABLES: {
            "domain": domain,
            "mixing": mixing,
            "columns": columns,
            "na": na,
            "missing": missing,
            "links": links,
            "sum": sums or None,
            "keep": keep,
            "learn_on": learn_on,
            "carried": carried,
            "most_rows": most_rows,
            "dry_run": dry_run,
        },
        IMAGES: {"size": size, "m": m, "colours": colours, "far": far, "steps": steps},
    }
    kind = kind_of_data(data)
    _refuse(by_kind, kind, data)
    asked = by_kind[kind] | {"k": k, "seed": seed, "pairs": pairs}
    start = time.perf_counter()
    summary, sentence = kind_called(kind).fit(data, out, asked)
    seconds = round(time.perf_counter() - start, 2)
    _explain(summary)
    for line in _columns(summary) if kind == TABLES else ():
        remark(line)
    if as_json:
        print_json(summary | {"seconds": seconds})
    else:
        remark(f"{sentence}, {seconds} s.")


def _explain(summary: dict[str, Any]) -> None:
    """What differs between domains, all that was considered, and notes."""
    if summary.get("difference"):
        remark(summary["difference"])
    for one in summary.get("considered", []):
        used = "used" if one["used"] else "not used"
        remark(f"- {one['explanation']} ({used}): {one['words']}")
    for note in summary["notes"]:
        remark(f"note: {note}")


def _columns(summary: dict[str, Any]) -> Iterator[str]:
    """What becomes of the columns of a table."""
    constant = dict.fromkeys(summary["constant"], "never vary")
    return listed_columns(summary["columns"], constant | summary["carried"], summary["kept"])


_FOR = {TABLES: "tables; {} is a folder", IMAGES: "folders of images; {} is not a folder"}


def _refuse(by_kind: dict[str, dict[str, Any]], kind: str, data: str) -> None:
    """Raise where an option was given that means nothing for these data."""
    for other, options in by_kind.items():
        for name, value in options.items():
            if other != kind and value is not None:
                raise ValueError(
                    f"--{name.replace('_', '-')} works only with {_FOR[other].format(data)}."
                )
