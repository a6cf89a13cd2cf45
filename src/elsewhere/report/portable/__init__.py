"""A fitted model as plain data that a page can carry, and move rows by in the browser.

Carried are models in closed form: maps by moments, with corrections by pairs, and mixings and
mechanisms that are affine, leaky or sums of curves; with links of every shape, levels, sums,
covariates, gaps and crossed domains. `static/move_rows.js` computes by it, and first does the
checks that come along: if its answers are not Python's, it moves nothing.
"""

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from elsewhere.crossed_labels import parted
from elsewhere.datasets.table_numbers import MISSING
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.crossed import with_combinations
from elsewhere.report.portable.beside import plain_covariates, plain_gaps
from elsewhere.report.portable.checks import checks
from elsewhere.report.portable.columns import plain_columns, plain_sums
from elsewhere.report.portable.models import plain_model
from elsewhere.trust.case import Case
from elsewhere.trust.judgement import plain

FORMAT = 2
MOST_NUMBERS = 400_000  # of a model; a larger one would make a page of several megabytes
MOST_COMBINATIONS = 100  # of crossed domains that were never seen, which a page offers
Plain = dict[str, Any]


class NotCarriedError(Exception):
    """Why a page cannot carry a model, as the object of "cannot carry"."""


def portable(case: Case) -> Plain:
    """The model and its checks; raises NotCarriedError where a page cannot carry it."""
    known = case.estimator
    unseen = _unseen(known)
    asked = with_combinations(known, unseen) if unseen else known
    made = {
        "format": FORMAT,
        "domain_columns": [] if known.domain_name_ is None else [*parted(known.domain_name_)],
        "domains": [str(d) for d in asked.domains_],
        "unseen": unseen,
        "missing": [*MISSING, *known.missing_text_],
        "columns": plain_columns(asked.space_),
        "sums": plain_sums(asked.space_),
        "covariates": plain_covariates(asked.covariates_),
        "gaps": plain_gaps(asked.gaps_),
        "models": _models(asked),
    }
    return plain(_small_enough(made) | {"checks": checks(case, asked.domains_)})


def _models(estimator: DomainCounterfactual) -> list[Plain]:
    models = [plain_model(model) for model in estimator.result_.preferred]
    found = [model for model in models if model is not None]
    if len(found) < len(models):
        raise NotCarriedError(f"a model of this kind ({estimator.mixing_})")
    return found


def _unseen(estimator: DomainCounterfactual) -> list[Hashable]:
    """Combinations of crossed domains without rows that can be asked for, unless they are many."""
    crossing = estimator.crossing_
    if crossing is None or math.prod(map(len, crossing.seen.levels)) > MOST_COMBINATIONS:
        return []
    _models(estimator)  # only models that a page can carry have answers for them
    return [label for label in crossing.unseen() if crossing.seen.tells(label)]


def _small_enough(made: Plain) -> Plain:
    """The same, without what is told of gaps if need be; columns with zeros apart need that."""
    if _count(made) > MOST_NUMBERS and not any(c["zeros"] for c in made["columns"]):
        made = made | {"gaps": None}
    if _count(made) > MOST_NUMBERS:
        raise NotCarriedError("a model as large as this one")
    return made


def _count(value: Any) -> int:
    """How many numbers and texts it holds."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_count, value))
    return int(np.size(value))
