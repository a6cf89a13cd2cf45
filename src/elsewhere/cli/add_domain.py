"""`elsewhere add-domain`: a site that comes later, without a new fit of the others."""

from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import Data, Force, Model, check_free
from elsewhere.cli.output import remark


def add_domain(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="Model file to write, with the new domain.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from", help="Name of the new domain of all rows, if the table has no domain column."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Add new domains to a model, from a table; all earlier answers stay the same.

    The table must have the model's columns. Its domain column says which rows belong to a new
    domain; if there is no such column, --from names the new domain of all rows. Rows of domains
    that the model already knows are ignored.
    """
    check_free(out, force, model, data)
    opened = open_model(model)
    for name, rows in opened.kind.add(opened.estimator, data, source).items():
        remark(f"added: {name} ({rows} rows)")
    opened.estimator.save(out)
    remark(f"{out}: written.")
