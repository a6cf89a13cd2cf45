"""Flows that flatten x, and the search for axes and orders in the flat coordinates."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import PRNGKeyArray

from elsewhere.bijections import compose
from elsewhere.fitting.engine import Candidate, FitResult
from elsewhere.fitting.flow.bend import Bender, Effort
from elsewhere.fitting.flow.start import Flow, axes_of, flow_maker, kinds_of
from elsewhere.fitting.gradient.choose import row_log_likelihoods
from elsewhere.fitting.gradient.fit import prepare
from elsewhere.fitting.gradient.restarts import Progress
from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.profile.estimate import fit
from elsewhere.fitting.profile.likelihood import mean_over_domains, standard_error
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.split import Data, Named
from elsewhere.model import ILD

Search = Callable[..., FitResult]


def fit_flow(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: int | None,
    flow: Flow = "real_nvp",
    couplings: int = 4,
    width: int = 100,
    slope: float = 0.5,
    valid: Data | None = None,
    options: Options = DEFAULT,
    effort: Effort = Effort(),  # noqa: B008
    progress: Progress | None = None,
) -> FitResult:
    """x = B c_n∘…∘c_1(A LeakyReLU(z) + a) + b by maximum likelihood, in turns with `fit`.

    A leaky-linear Dense fit starts a Dense flow, whose couplings flatten x; in the flat coordinates
    `fit` finds axes and orders that share all but k mechanisms; with these shared the flow goes on,
    and `fit` has the last word. Given the flow and the axes, every mechanism has its best value in
    closed form, so the gradient moves nothing else.

    Args:
        key: of everything that is drawn.
        data: one table [n_d, m] a domain, by name or in order.
        k: how many mechanisms may differ between domains; None for all (Dense).
        flow: affine ("real_nvp") or spline couplings.
        couplings: how many.
        width: of each coupling's hidden layer.
        slope: of the rectifier where z < 0; 1 for none.
        valid: held-out rows; a tenth of `data` when left out.
        options: of the searches by `fit`.
        effort: of the gradient steps.
        progress: called with (step, steps, best validation log-likelihood) after every chunk.
    """
    return fit_flow_each(
        key,
        data,
        ks=[k],
        flow=flow,
        couplings=couplings,
        width=width,
        slope=slope,
        valid=valid,
        options=options,
        effort=effort,
        progress=progress,
    )[k]


def fit_flow_each(
    key: PRNGKeyArray,
    data: Data,
    *,
    ks: Sequence[int | None],
    flow: Flow = "real_nvp",
    couplings: int = 4,
    width: int = 100,
    slope: float = 0.5,
    valid: Data | None = None,
    options: Options = DEFAULT,
    effort: Effort = Effort(),  # noqa: B008
    progress: Progress | None = None,
) -> dict[int | None, FitResult]:
    """`fit_flow` for several k at once: the Dense flow does not depend on k and is bent once."""
    train, held, white = prepare(key, data, valid)
    tables, kept = ({d: white(x) for d, x in named.items()} for named in (train, held))
    maker = flow_maker(flow, couplings, width)
    bender = Bender(tables, kept, maker, slope, effort, progress)
    search = partial(fit, key, **_mixing(slope), options=options)
    warm = search(tables, k=None, valid=kept, options=_brief(options)).model
    dense = bender.bend(maker(key, warm.m), axes_of(warm), np.full(warm.m, OWN))
    outward = white.bijection()
    return {k: _in_units(*_solve(bender, search, dense, k), outward, held) for k in ks}


def _solve(
    bender: Bender, search: partial[FitResult], outer: AbstractBijection, k: int | None
) -> tuple[FitResult, AbstractBijection]:
    """(models of the flat rows, the flow that flattens)."""
    if k is not None:
        brief = partial(search, options=_brief(search.keywords["options"]))
        model = _searched(bender, brief, outer, k).model
        outer = bender.bend(outer, axes_of(model), kinds_of(model, k))
    return _searched(bender, search, outer, k), outer


def _searched(bender: Bender, search: Search, outer: AbstractBijection, k: int | None) -> FitResult:
    rows, held = bender.flat(outer)
    return search(rows, k=k, valid=held)


def _brief(options: Options) -> Options:
    """For axes that a flow will move on from: one candidate, not polished."""
    return replace(options, classes=1, polish_steps=1)


def _mixing(slope: float) -> dict[str, str | float]:
    return {"mixing": "linear"} if slope == 1 else {"mixing": "leaky", "slope": slope}


def _in_units(
    found: FitResult, outer: AbstractBijection, outward: AbstractBijection, held: Named
) -> FitResult:
    """Every model behind the flow and the whitening, with its exact likelihood in the data's units.

    The flow's log-determinant is the same for all candidates.
    """
    models = [_behind(c.model, compose(outward, outer)) for c in found.candidates]
    rows = row_log_likelihoods(models[0], held)
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
