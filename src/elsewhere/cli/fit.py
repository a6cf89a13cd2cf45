"""`elsewhere fit`: from a table to a model."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli.options import AsJson, Data, Force, check_free, words
from elsewhere.cli.talk import print_json, progress_bar, remark

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual


def fit(
    data: Data,
    domain: Annotated[str, typer.Option(help="The column that says where a row came from.")],
    out: Annotated[Path, typer.Option(help="The file for the model.")],
    k: Annotated[str, typer.Option(help="How many mechanisms differ: auto, dense or 0, 1, …")] = (
        "auto"
    ),
    mixing: Annotated[str, typer.Option(help="auto, linear, leaky, real_nvp or spline.")] = "auto",
    columns: Annotated[
        str | None, typer.Option(help="Columns to model, as a,b,c; else all that hold numbers.")
    ] = None,
    links: Annotated[
        str, typer.Option(help="auto, identity, positive; or age=integer,p=bounded:0:1.")
    ] = "auto",
    seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Fit a model to a table with a column of domains."""
    check_free(out, force)
    start = time.perf_counter()
    from elsewhere.cli.tables import read_labelled
    from elsewhere.estimators import DomainCounterfactual

    X, labels = read_labelled(data, domain, words(columns) if columns else None)
    estimator = DomainCounterfactual(
        k=_read_k(k), mixing=mixing, links=_read_links(links), random_state=seed
    )
    with progress_bar() as progress:
        estimator.fit(X, labels, progress=progress)
    estimator.save(out)
    for note in estimator.notes_:
        remark(f"note: {note}")
    summary = _summary(estimator, labels, out, time.perf_counter() - start)
    if as_json:
        print_json(summary)
    else:
        remark(_sentence(summary))


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


def _summary(
    estimator: "DomainCounterfactual", labels: Any, out: Path, seconds: float
) -> dict[str, Any]:
    from elsewhere.cli.inspect import summary_of

    counts = labels.value_counts()
    rows = {str(d): int(counts[d]) for d in estimator.domains_}
    return {"model": str(out), "rows": rows, "seconds": round(seconds, 2)} | summary_of(estimator)


def _sentence(summary: dict[str, Any]) -> str:
    total = sum(summary["rows"].values())
    return (
        f"{summary['model']}: {total} rows of {len(summary['rows'])} domains, "
        f"{len(summary['columns'])} columns, {summary['mixing']} mixing, k = {summary['k']}, "
        f"{len(summary['candidates'])} equally good model(s), {summary['seconds']} s."
    )
