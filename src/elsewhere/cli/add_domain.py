"""`elsewhere add-domain`: a site that comes later, without a new fit of the others."""

from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import Data, Force, From, Model, check_free
from elsewhere.cli.output import remark


def add_domain(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="The file for the model with the domain in it.")],
    source: From = None,
    force: Force = False,
) -> None:
    """Add the domains of a table that a model does not know; its earlier answers stay the same.

    The table has the model's columns, and its column of domains says which rows belong to a new
    domain; --from names the domain of all rows where there is no such column. Rows of domains that
    the model knows already are left out.
    """
    check_free(out, force, model, data)
    opened = open_model(model)
    for name, rows in opened.kind.add(opened.estimator, data, source).items():
        remark(f"added: {name} ({rows} rows)")
    opened.estimator.save(out)
    remark(f"{out}: written.")
