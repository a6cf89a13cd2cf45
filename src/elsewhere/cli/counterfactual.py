"""`elsewhere counterfactual`: rows of a table, or images, as if from another domain."""

import time
from typing import Annotated

import typer

from elsewhere.cli.kinds import Question, open_model
from elsewhere.cli.options import STDOUT, AsJson, Data, Force, From, Model, check_free
from elsewhere.cli.output import print_json, remark

MOST_NOTES = 10  # that are shown; --json has all


def counterfactual(
    model: Model,
    data: Data,
    to: Annotated[
        str,
        typer.Option(
            help="Target domain, or all. With several columns of domains site=B,scanner=2; or "
            "scanner=2 alone, and each row keeps its own site."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            help="A .csv, .tsv, .csv.gz, .parquet or .feather file (- writes CSV to standard "
            "output); a directory for many files; for images a folder, or for one image a .png "
            "file."
        ),
    ],
    source: From = None,
    spread: Annotated[
        bool,
        typer.Option("--spread", help="Tables: add the range over all equally good models."),
    ] = False,
    interval: Annotated[
        float | None,
        typer.Option(
            help="Tables: add the lower and upper limits of an interval with this probability, "
            "e.g. 0.9."
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            help="Tables: calibrate --interval with rows seen in two domains, which the fit has "
            "not seen: a file as for fit --pairs."
        ),
    ] = None,
    fill: Annotated[
        bool,
        typer.Option(
            "--fill", help="Tables: fill missing entries with the values the model expects."
        ),
    ] = False,
    consensus: Annotated[
        bool,
        typer.Option("--consensus", help="Tables: the mean over all equally good models."),
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(
            help="Tables: answer by a simpler method, fitted to DATA: combat, mean_shift, "
            "mean_variance, quantile, gaussian_ot, entropic_ot or identity."
        ),
    ] = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Ask what the rows of a table, or images, would have been in another domain.

    The answer has the table's columns in their order; those that are not modelled are carried
    through. Missing entries stay missing, and numbers keep their decimals. The column of domains
    holds the target. With --to all, every row is written once per domain, and an extra last column
    says where it was observed. With --from unknown, rows may come from none of the model's domains:
    the answer is the mean over all of them, weighted by how well each explains the row.

    Images are written as PNG files, under the same relative paths as the input. With --to all,
    there is one such folder per domain.
    """
    if as_json and out in (STDOUT, "/dev/stdout"):
        raise typer.BadParameter("--json and --out - would both write to standard output.")
    if spread and interval is not None:
        raise typer.BadParameter("--spread and --interval cannot be combined: choose one.")
    if interval is not None and not 0 < interval < 1:
        raise typer.BadParameter(f"--interval must be between 0 and 1, e.g. 0.9; got {interval:g}.")
    if pairs is not None and interval is None:
        raise typer.BadParameter("--pairs needs --interval: with pairs, intervals are calibrated.")
    out = STDOUT if out == "/dev/stdout" else out
    check_free(out, force, model, data, answers=True)
    start = time.perf_counter()
    opened = open_model(model)
    asked = Question(data, out, to, source, spread, force, interval, fill, consensus, method, pairs)
    written, count = opened.kind.answer(opened.estimator, asked)
    seconds = round(time.perf_counter() - start, 2)
    if as_json:
        print_json(written | {"seconds": seconds})
        return
    for note in written.get("notes", [])[:MOST_NOTES]:
        remark(f"note: {note}")
    if out != STDOUT:
        remark(f"{out}: {count}, {seconds} s.")
