"""`elsewhere report`: one page on a model and a table."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.model import open_model
from elsewhere.cli.options import Data, Force, From, Invariants, Model, Planted, check_free, words
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
    from elsewhere.cli.tables import read_known
    from elsewhere.report.table_report import write_report
    from elsewhere.trust import trust_report

    estimator = open_model(model)
    X, labels = read_known(estimator, data, source)
    fixed = words(invariants)
    trust = trust_report(estimator, X, labels, invariants=fixed or None, planted=planted)
    command = " ".join(["elsewhere", *sys.argv[1:]])
    write_report(estimator, X, labels, out, trust=trust, command=command)
    remark(f"{out}: written.")
