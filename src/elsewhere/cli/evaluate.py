"""`elsewhere evaluate`: how far to trust a model on a table."""

from typing import TYPE_CHECKING

from elsewhere.cli.model import open_model
from elsewhere.cli.options import AsJson, Data, From, Invariants, Model, Planted, words
from elsewhere.cli.talk import print_json, print_table, remark

if TYPE_CHECKING:
    from elsewhere.trust import Trust


def evaluate(
    model: Model,
    data: Data,
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    as_json: AsJson = False,
) -> None:
    """Judge a model on a table: likelihood, support, spread, and the baselines beside it."""
    from elsewhere.cli.tables import read_known
    from elsewhere.trust import trust_report

    estimator = open_model(model)
    X, labels = read_known(estimator, data, source)
    fixed = words(invariants)
    trust = trust_report(estimator, X, labels, invariants=fixed or None, planted=planted)
    if as_json:
        print_json(trust.to_dict())
    else:
        _print(trust)


def _print(trust: "Trust") -> None:
    from elsewhere.trust.report import TITLES

    rows = [(TITLES[name], v.level, v.words) for name, v in trust.verdicts.items()]
    print_table("", ["check", "verdict", "in words"], rows)
    if trust.planted is not None:
        errors = sorted(trust.planted.errors.items(), key=lambda item: item[1])
        shown = [(name, f"{error:.4g}") for name, error in errors]
        print_table("error on a planted truth", ["method", "error"], shown)
    for note in trust.notes:
        remark(f"note: {note}")
