"""`elsewhere report`: one page on a model and a table, or images."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import AsJson, Data, Force, From, Invariants, Model, Planted, check_free
from elsewhere.cli.output import print_decision, print_json, progress_bar, remark

CHECKED = 0.75  # how far it is, about, when all is checked and the page is to be written


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
    checks = opened.kind.checks(invariants, planted)
    from elsewhere.fitting.progress import part_of
    from elsewhere.report import write_report

    command = command_to_share(sys.argv[1:])
    name = {"name": Path(data).name} if opened.kind.names_data and data != "-" else {}
    with progress_bar("checking") as progress:
        made = opened.judged(data, source, checks, part_of(progress, 0.0, CHECKED))
        X, labels, given, trust = made
        progress(CHECKED, "writing the page")
        told = {"trust": trust, "command": command, **name, **given}
        write_report(opened.estimator, X, labels, out, **told)
        progress(1.0, "done")
    if as_json:
        print_json(trust.to_dict())
        return
    print_decision(trust.decision)
    remark(f"{out}: written.")


def command_to_share(words: list[str]) -> str:
    """What was typed, for a page that others read: no folders of this machine, no switches of use.

    >>> command_to_share(["report", "/home/me/a b.model", "d.csv", "--force"])
    "elsewhere report 'a b.model' d.csv"
    """
    shown = [w for w in words if w not in ("--json", "--force")]
    return shlex.join(["elsewhere", *(Path(w).name if Path(w).is_absolute() else w for w in shown)])
