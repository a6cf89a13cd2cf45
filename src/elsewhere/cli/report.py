"""`elsewhere report`: one page on a model and a table, or images."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import AsJson, Data, Force, From, Invariants, Model, Planted, check_free
from elsewhere.cli.output import print_decision, print_json, remark


def report(
    model: Model,
    data: Data,
    out: Annotated[Path, typer.Option(help="HTML file to write.")] = Path("report.html"),
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a self-contained HTML page: the answers in pictures, and whether to trust them."""
    check_free(out, force, model, data)
    opened = open_model(model)
    X, labels, given, trust = opened.judged(data, source, invariants, planted)
    from elsewhere.report import write_report

    command = " ".join(["elsewhere", *sys.argv[1:]])
    name = {"name": Path(data).name} if opened.kind.names_data and data != "-" else {}
    write_report(opened.estimator, X, labels, out, trust=trust, command=command, **name, **given)
    if as_json:
        print_json(trust.to_dict())
        return
    print_decision(trust.decision)
    remark(f"{out}: written.")
