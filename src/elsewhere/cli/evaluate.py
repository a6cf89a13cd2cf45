"""`elsewhere evaluate`: how far to trust a model on a table or on images."""

from typing import TYPE_CHECKING

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import AsJson, Data, From, Invariants, Model, Planted
from elsewhere.cli.output import (
    print_decision,
    print_item,
    print_json,
    print_table,
    progress_bar,
    remark,
)

if TYPE_CHECKING:
    from elsewhere.trust.judgement import Judgement


def evaluate(
    model: Model,
    data: Data,
    source: From = None,
    invariants: Invariants = "",
    planted: Planted = True,
    as_json: AsJson = False,
) -> None:
    """Check a model on your data and answer: should I use these answers?"""
    opened = open_model(model)
    checks = opened.kind.checks(invariants, planted)
    with progress_bar("checking") as progress:
        *_, trust = opened.judged(data, source, checks, progress)
    if as_json:
        print_json(trust.to_dict())
        return
    from elsewhere.trust.judgement import WORDS

    print_decision(trust.decision)
    for name, verdict in trust.verdicts.items():
        print_item(f"{WORDS[verdict.level]}: {trust.titles[name]}", _said(verdict))
    for shown in trust.tables:
        print_table(*shown)
    for note in trust.remarks:
        remark(f"note: {note}")


def _said(verdict: "Judgement") -> list[str]:
    do = f"Do: {verdict.remedy}" if verdict.remedy else ""
    return [part for part in (verdict.words, verdict.measure, do) if part]
