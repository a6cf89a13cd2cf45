"""D4: any order of the variables and any continuous noise, rewritten to the standard form."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from flowjax.bijections import AbstractBijection
from jaxtyping import Array

from elsewhere.bijections import Affine, compose, inverse
from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.scm import from_conditional_cdfs
from elsewhere.theory.characterisation import is_autoregressive, reexpressed


def standard_form(
    mixing: AbstractBijection,
    scms: Sequence[AbstractBijection],
    *,
    order: Sequence[int] | None = None,
    noise_cdf: Callable[[Array], Array] | None = None,
    noise_quantile: Callable[[Array], Array] | None = None,
    domains: Sequence[Hashable] | None = None,
) -> ILD:
    """(g∘P⁻¹, {P∘f_d∘Q∘P⁻¹}): the same model with ordered variables and N(0, I) noise.

    Args:
        mixing: g: z → x, in the variables' own order.
        scms: f_d: noise → z, each autoregressive once its variables are sorted by `order`.
        order: order[i] is the variable that comes i-th; variables in order when left out.
        noise_cdf: CDF of the independent noises, with its inverse `noise_quantile`: Q maps N(0, 1)
            to them, Q(ε) = F⁻¹(Φ(ε)). Standard normal when left out.
    """
    m = mixing.shape[0]
    if (noise_cdf is None) != (noise_quantile is None):
        raise ValueError("noise_cdf and noise_quantile must be given together, or neither.")
    if noise_cdf is not None and noise_quantile is not None:
        noise = from_conditional_cdfs(
            [lambda z, _: noise_cdf(z)] * m, [lambda u, _: noise_quantile(u)] * m
        )
        scms = [compose(f, noise) for f in scms]
    sort = _sorting(order, m)
    model = reexpressed(ILD(mixing, scms, domains), sort, inverse(sort))
    _check_ordered(model)
    return model


def _sorting(order: Sequence[int] | None, m: int) -> Affine:
    chosen = np.arange(m) if order is None else np.asarray(order)
    if sorted(chosen.tolist()) != list(range(m)):
        raise ValueError(f"order must list each of 0..{m - 1} once; got {chosen.tolist()}.")
    return Affine(np.eye(m)[chosen])


def _check_ordered(model: ILD) -> None:
    for d, f in zip(model.domains, model.scms, strict=True):
        if not is_autoregressive(f):
            raise AssumptionError(
                f"f_d must be autoregressive in the given order; in domain {d!r} it is not. "
                "Pass the topological order of its graph as `order`."
            )
