"""Domains of few rows: how much of their answers is their own evidence."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from elsewhere.fitting.moments import AffineMap
from elsewhere.fitting.moments.own_evidence import FEW, own_shares
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, listed

HALF = 0.5


@dataclass(frozen=True)
class OwnEvidence:
    """The share of the offset that a small domain's rows show which is taken for its own."""

    rows: Mapping[Hashable, int]
    shares: Mapping[Hashable, float]
    verdict: Judgement


def own_evidence(case: Case) -> OwnEvidence | None:
    """None where every domain has many rows, or the model is not a map by moments."""
    model = case.model
    rows = {d: len(table) for d, table in case.linked.items() if len(table) < FEW}
    if not rows or not isinstance(model, AffineMap):
        return None
    every = own_shares(model, case.linked)
    shares = {d: every[d] for d in rows}
    return OwnEvidence(rows, shares, _verdict(rows, shares))


def _verdict(rows: Mapping[Hashable, int], shares: Mapping[Hashable, float]) -> Judgement:
    ordered = sorted(shares, key=lambda d: shares[d])
    said = listed([f"{d} ({rows[d]}) {shares[d]:.0%}" for d in ordered])
    measure = f"Own evidence by domain (rows): {said}. Fine from {HALF:.0%}."
    if shares[ordered[0]] >= HALF:
        return Judgement(
            "good", "Answers about small domains rest mostly on their own rows.", measure
        )
    words = (
        f"Answers to and from {listed([d for d in ordered if shares[d] < HALF])} rest on few rows: "
        "most of what these show is taken for chance, and the intervals are wide."
    )
    return Judgement(
        "caution", words, measure, "Look at the intervals, or add rows of such domains."
    )
