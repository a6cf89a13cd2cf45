"""`elsewhere report`: one page on a model and a table, or images."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.judged import judged_images, judged_table
from elsewhere.cli.model import open_model
from elsewhere.cli.options import Data, Force, From, Invariants, Model, Planted, check_free
from elsewhere.cli.talk import remark


def report(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="The HTML file.")] = Path("report.html"),
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    force: Force = False,
) -> None:
    """Write one self-contained page: the answers in pictures, and how far to trust them."""
    check_free(out, force)
    from elsewhere.estimators import DomainCounterfactual

    estimator, command = open_model(model), " ".join(["elsewhere", *sys.argv[1:]])
    if isinstance(estimator, DomainCounterfactual):
        from elsewhere.report.table_report import write_report

        X, labels, trust = judged_table(estimator, data, source, invariants, planted)
        write_report(estimator, X, labels, out, trust=trust, command=command)
    else:
        from elsewhere.report.image_report import write_image_report

        images, names, seen = judged_images(estimator, data, source, invariants)
        write_image_report(estimator, images, names, out, trust=seen, command=command)
    remark(f"{out}: written.")
