"""Who is in it: columns that were not kept, and may explain what is taken for the domain's."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from elsewhere.covariates.left_out import ENOUGH, LeftOut, in_words, left_out
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import Judgement, graded, percent

MUCH = 0.5  # of the differences of means


@dataclass(frozen=True)
class CaseMix:
    """Columns that domains have more or less of, with the share of the difference each explains."""

    columns: tuple[LeftOut, ...]
    verdict: Judgement


def case_mix(case: Case) -> CaseMix | None:
    """None where the table has no column beside those of the model."""
    if not case.beside:
        return None
    rows = [case.linked[d][known] for d, (known, _) in case.beside.items()]
    codes = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
    beside = pd.concat([frame for _, frame in case.beside.values()])
    found = left_out(beside, np.concatenate(rows), codes)
    return CaseMix(found, _verdict(found, str(case.estimator.domain_name_ or "domain")))


def _verdict(found: tuple[LeftOut, ...], site: str) -> Judgement:
    scale = f"Fine up to {percent(ENOUGH)}, poor from {percent(MUCH)}."
    if not (words := in_words(found, site)):
        said = "No column beside those of the model explains much of what domains differ by."
        return Judgement("good", said, scale)
    named = ",".join(str(one.name) for one in found if one.share >= ENOUGH)
    return Judgement(
        graded(found[0].share, ENOUGH, MUCH),
        words[0].upper() + words[1:],
        f"{percent(found[0].share)} of the differences of means. {scale}",
        f"If these belong to the rows, as a diagnosis does, fit again with them kept: --keep "
        f"{named}. If they are the doing of {site}, leave the fit as it is.",
    )
