"""`elsewhere evaluate`: how far to trust a model on a table or on images."""

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import AsJson, Data, From, Invariants, Model, Planted
from elsewhere.cli.output import print_json, print_table, remark


def evaluate(
    model: Model,
    data: Data,
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    as_json: AsJson = False,
) -> None:
    """Judge a model on a table or on images: what fits, what moves, what comes back."""
    *_, trust = open_model(model).judged(data, source, invariants, planted)
    if as_json:
        print_json(trust.to_dict())
        return
    rows = [(trust.titles[name], v.level, v.words) for name, v in trust.verdicts.items()]
    print_table("", ["check", "verdict", "in words"], rows)
    for shown in trust.tables:
        print_table(*shown)
    for note in trust.remarks:
        remark(f"note: {note}")
