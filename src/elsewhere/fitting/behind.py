"""Models of rows that a bijection has flattened, as models of the rows themselves."""

from dataclasses import replace
from typing import cast

from flowjax.bijections import AbstractBijection

from elsewhere.bijections import compose
from elsewhere.fitting.profile.likelihood import held_out_rows, mean_over_domains, standard_error
from elsewhere.fitting.result import Candidate, FitResult
from elsewhere.fitting.split import Named
from elsewhere.model import ILD


def behind(found: FitResult, outer: AbstractBijection, held: Named) -> FitResult:
    """Every model of y as one of x = outer(y), with its exact likelihood in the units of x.

    The log-determinant of `outer` is the same for all candidates.
    """
    models = [_behind(cast(ILD, c.model), outer) for c in found.candidates]
    rows = held_out_rows(models[0], held)
    value = mean_over_domains(rows)
    shift = value - found.log_likelihood
    candidates = tuple(
        Candidate(model, c.log_likelihood + shift, c.preference + shift, c.description)
        for model, c in zip(models, found.candidates, strict=True)
    )
    error = standard_error(rows)
    return replace(found, candidates=candidates, log_likelihood=value, standard_error=error)


def _behind(model: ILD, outer: AbstractBijection) -> ILD:
    return ILD(compose(outer, model.mixing), model.scms, model.domains)
