"""`elsewhere fit`: from a table, or a folder of images, to a model."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli.options import AsJson, Data, Force, check_free, words
from elsewhere.cli.talk import print_json, progress_bar, remark

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual

TABLES, IMAGES = "For tables", "For folders of images"


def fit(
    data: Data,
    out: Annotated[Path, typer.Option(help="The file for the model.")],
    k: Annotated[
        str, typer.Option(help="How many mechanisms differ: auto (images: 1), dense or 0, 1, …")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    as_json: AsJson = False,
    force: Force = False,
    domain: Annotated[
        str | None,
        typer.Option(help="The column that says where a row came from.", rich_help_panel=TABLES),
    ] = None,
    mixing: Annotated[
        str | None,
        typer.Option(
            help="auto, if left out; linear, leaky, real_nvp or spline.", rich_help_panel=TABLES
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Columns to model, as a,b,c; else all that hold numbers.", rich_help_panel=TABLES
        ),
    ] = None,
    links: Annotated[
        str | None,
        typer.Option(
            help="auto, if left out; identity, positive; or age=integer,p=bounded:0:1.",
            rich_help_panel=TABLES,
        ),
    ] = None,
    size: Annotated[
        int | None,
        typer.Option(help="Make all images so many pixels square.", rich_help_panel=IMAGES, min=8),
    ] = None,
    m: Annotated[
        int | None, typer.Option(help="Numbers of a code; 20.", rich_help_panel=IMAGES)
    ] = None,
    colours: Annotated[
        int | None,
        typer.Option(
            help="How many of them hold the colours, where domains differ in these, as 6.",
            rich_help_panel=IMAGES,
        ),
    ] = None,
    far: Annotated[
        bool | None,
        typer.Option(
            "--far", help="Domains lie far apart, as turned by 90°.", rich_help_panel=IMAGES
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(help="Of the autoencoder's training; 2,000.", rich_help_panel=IMAGES),
    ] = None,
) -> None:
    """Fit a model to a table with a column of domains, or to images in one folder a domain."""
    check_free(out, force)
    start = time.perf_counter()
    of_tables = {"domain": domain, "mixing": mixing, "columns": columns, "links": links}
    of_images = {"size": size, "m": m, "colours": colours, "far": far, "steps": steps}
    if Path(data).is_dir():
        _refuse(of_tables, f"a table, and {data} is a folder")
        from elsewhere.cli.fit_images import fit_folder

        summary, sentence = fit_folder(data, out, _read_k(k), seed, _given(of_images))
    else:
        _refuse(of_images, f"a folder of images, and {data} is none")
        if domain is None:
            raise ValueError(
                "--domain must name the column that says where a row came from, for "
                f"{data} is no folder of images."
            )
        settings = {"mixing": mixing or "auto", "links": _read_links(links or "auto")}
        settings |= {"k": _read_k(k), "random_state": seed}
        summary, sentence = _fit_table(data, domain, columns, out, settings)
    seconds = round(time.perf_counter() - start, 2)
    for note in summary["notes"]:
        remark(f"note: {note}")
    if as_json:
        print_json(summary | {"seconds": seconds})
    else:
        remark(f"{sentence}, {seconds} s.")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _refuse(options: dict[str, Any], what_for: str) -> None:
    """Raise where an option was given that means nothing for these data."""
    for name in _given(options):
        raise ValueError(f"--{name} is for {what_for}.")


def _fit_table(
    data: str, domain: str, columns: str | None, out: Path, settings: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    from elsewhere.cli.tables import read_labelled
    from elsewhere.estimators import DomainCounterfactual

    X, labels = read_labelled(data, domain, words(columns) if columns else None)
    estimator = DomainCounterfactual(**settings)
    with progress_bar() as progress:
        estimator.fit(X, labels, progress=progress)
    estimator.save(out)
    summary = _summary(estimator, labels, out)
    return summary, _sentence(summary)


def _read_k(text: str) -> Any:
    if text in ("auto", "dense"):
        return None if text == "dense" else "auto"
    if not text.isdigit():
        raise ValueError(f"--k must be auto, dense or a number; got {text!r}.")
    return int(text)


def _read_links(text: str) -> Any:
    """A kind for all columns, or a=kind,b=bounded:low:high."""
    if "=" not in text:
        return text
    parts = [part.rpartition("=") for part in words(text)]
    return {name: _spec(name, kind) for name, _, kind in parts}


def _spec(name: str, text: str) -> Any:
    kind, *bounds = text.split(":")
    if not bounds:
        return kind
    try:
        low, high = map(float, bounds)
    except ValueError:
        raise ValueError(f"--links must be like {name}=bounded:0:1; got {name}={text!r}.") from None
    return kind, low, high


def _summary(estimator: "DomainCounterfactual", labels: Any, out: Path) -> dict[str, Any]:
    from elsewhere.cli.inspect import summary_of

    counts = labels.value_counts()
    rows = {str(d): int(counts[d]) for d in estimator.domains_}
    return {"model": str(out), "rows": rows} | summary_of(estimator)


def _sentence(summary: dict[str, Any]) -> str:
    total = sum(summary["rows"].values())
    return (
        f"{summary['model']}: {total} rows of {len(summary['rows'])} domains, "
        f"{len(summary['columns'])} columns, {summary['mixing']} mixing, k = {summary['k']}, "
        f"{len(summary['candidates'])} equally good model(s)"
    )
