"""`elsewhere evaluate`: how far to trust a model on a table or on images."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elsewhere.cli.judged import judged_images, judged_table
from elsewhere.cli.model import open_model
from elsewhere.cli.options import AsJson, Data, From, Invariants, Model, Planted
from elsewhere.cli.talk import print_json, print_table, remark

if TYPE_CHECKING:
    from elsewhere.trust.planted import Planted as PlantedTruth
    from elsewhere.trust.verdict import Verdict


def evaluate(
    model: Model,
    data: Data,
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    as_json: AsJson = False,
) -> None:
    """Judge a model on a table or on images: what fits, what moves, what comes back."""
    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.trust.images import IMAGE_TITLES
    from elsewhere.trust.report import TITLES

    estimator = open_model(model)
    if isinstance(estimator, DomainCounterfactual):
        _, _, trust = judged_table(estimator, data, source, invariants, planted)
        titles, truth, notes = TITLES, trust.planted, trust.notes
    else:
        _, _, trust = judged_images(estimator, data, source, invariants)
        titles, truth, notes = IMAGE_TITLES, None, ()  # they are in the table
    if as_json:
        print_json(trust.to_dict())
        return
    _print(titles, trust.verdicts, truth)
    for note in notes:
        remark(f"note: {note}")


def _print(
    titles: Mapping[str, str], verdicts: "Mapping[str, Verdict]", planted: "PlantedTruth | None"
) -> None:
    rows = [(titles[name], v.level, v.words) for name, v in verdicts.items()]
    print_table("", ["check", "verdict", "in words"], rows)
    if planted is not None:
        errors = sorted(planted.errors.items(), key=lambda item: item[1])
        shown = [(name, f"{error:.4g}") for name, error in errors]
        print_table("error on a planted truth", ["method", "error"], shown)
