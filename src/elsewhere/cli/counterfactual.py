"""`elsewhere counterfactual`: the rows of a table as if from another domain."""

import time
from typing import Annotated

import typer

from elsewhere.cli.model import open_model
from elsewhere.cli.options import AsJson, Data, Force, From, Model, check_free
from elsewhere.cli.talk import print_json, remark


def counterfactual(
    model: Model,
    data: Data,
    to: Annotated[str, typer.Option(help="The domain to move the rows to, or all.")],
    out: Annotated[str, typer.Option(help="A .csv, .parquet or .feather file; - is stdout.")],
    source: From = None,
    spread: Annotated[
        bool, typer.Option("--spread", help="Add the range over all equally good models.")
    ] = False,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Ask what the rows of a table would have been in another domain.

    The answer has the table's columns in their order; those that are not modelled are carried
    through. The column of domains says the new domain. With --to all the rows come once for each
    domain, and a last column says where each was seen.
    """
    if as_json and out == "-":
        raise typer.BadParameter("--json and --out - would both write to standard output.")
    check_free(out, force)
    start = time.perf_counter()
    from elsewhere.cli.answers import write_answers

    estimator = open_model(model)
    written = write_answers(estimator, data, out, to, source, spread)
    seconds = round(time.perf_counter() - start, 2)
    if as_json:
        print_json(written | {"seconds": seconds})
    elif out != "-":
        remark(f"{out}: {written['rows_written']} rows, {seconds} s.")
