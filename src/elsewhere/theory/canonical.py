"""L1, T2: every ILD has an equivalent one whose intervened mechanisms come last."""

from dataclasses import dataclass

import numpy as np
from flowjax.bijections import AbstractBijection, Identity

from elsewhere.bijections import Affine, inverse
from elsewhere.errors import AssumptionError
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM, tie
from elsewhere.theory.characterisation import composed, reexpressed
from elsewhere.theory.closed_forms import linear_identity
from elsewhere.theory.intervention import intervention_set


@dataclass(frozen=True)
class CanonicalForm:
    """The canonical ILD, the swaps (j, j') that led to it, and the model after every step.

    `steps` starts with the model given and ends with `ild`; `intervened` is its intervention set.
    """

    ild: ILD
    swaps: tuple[tuple[int, int], ...]
    steps: tuple[ILD, ...]
    intervened: frozenset[int]


def swap(ild: ILD, j: int, j_prime: int, *, intervened: frozenset[int] | None = None) -> ILD:
    """f'_d = h∘f_d∘h, g' = g∘h, h exchanging j and j': moves the intervention from j to j'.

    The Swapping Lemma. It asks for f_1 = Id, j in I, and no intervened index in (j, j'].
    `intervened` is looked up when not given.
    """
    known = intervention_set(ild).indices if intervened is None else intervened
    _check_swap(ild, j, j_prime, known)
    order = np.arange(ild.m)
    order[[j, j_prime]] = j_prime, j
    h = Affine(np.eye(ild.m, dtype=ild.dtype)[order])
    if not all(isinstance(f, LinearSCM) for f in ild.scms):
        return _with_identity_first(reexpressed(ild, h, h))
    scms = [_permuted(f, order) for f in ild.scms]  # type: ignore[arg-type]
    return ILD(composed(ild.dtype, ild.mixing, h), scms, ild.domains)


def identity_canonical_form(ild: ILD, *, intervened: frozenset[int] | None = None) -> CanonicalForm:
    """h₁ = f_1⁻¹, h₂ = Id, then swaps: f_1 = Id and the intervened mechanisms last.

    Steps 1 and 2 of the proof of "Existence of Equivalent Canonical ILD"; counterfactually and
    distributionally equivalent to `ild`, with |I| kept. Works for any ILD, linear or not. Where
    the SCMs are linear, mechanisms that are not intervened are the identity's to the bit.
    """
    found = intervention_set(ild).indices if intervened is None else frozenset(intervened)
    model = _with_identity_first(reexpressed(ild, inverse(ild.scms[0]), Identity((ild.m,))))
    model = _with_shared_rows(model, model.scms[0], found)
    swaps: list[tuple[int, int]] = []
    steps = [ild, model]
    while (pair := _next_swap(found, ild.m)) is not None:
        model = swap(model, *pair, intervened=found)
        found = (found - {pair[0]}) | {pair[1]}
        swaps.append(pair)
        steps.append(model)
    return CanonicalForm(model, tuple(swaps), tuple(steps), found)


def canonical_form(ild: ILD, *, intervened: frozenset[int] | None = None) -> CanonicalForm:
    """The identity canonical form followed by h₁ = f_1 (of `ild`): f_1 as given, intervened last.

    Step 3 of the proof of "Existence of Equivalent Canonical ILD".
    """
    form = identity_canonical_form(ild, intervened=intervened)
    model = reexpressed(form.ild, ild.scms[0], Identity((ild.m,)))
    model = _with_shared_rows(model, model.scms[0], form.intervened)
    return CanonicalForm(model, form.swaps, (*form.steps, model), form.intervened)


def _next_swap(intervened: frozenset[int], m: int) -> tuple[int, int] | None:
    """(j, j') with j' the largest index not intervened and j the largest intervened below it."""
    j_prime = max(set(range(m)) - intervened, default=-1)
    below = [j for j in intervened if j < j_prime]
    return (max(below), j_prime) if below else None


def _with_identity_first(ild: ILD) -> ILD:
    """f_1 = f_1⁻¹∘f_1 (or h∘Id∘h) is the identity; say so exactly rather than up to rounding."""
    linear = isinstance(ild.scms[0], LinearSCM)
    first: AbstractBijection = linear_identity(ild.m, ild.dtype) if linear else Identity((ild.m,))
    return ILD(ild.mixing, (first, *ild.scms[1:]), ild.domains)


def _with_shared_rows(ild: ILD, first: AbstractBijection, intervened: frozenset[int]) -> ILD:
    """Mechanisms outside the intervention set are the first domain's, to the bit, where linear."""
    if not all(isinstance(f, LinearSCM) for f in (first, *ild.scms)):
        return ild
    own = np.array([j in intervened for j in range(ild.m)])
    scms = [tie(first, f, own) for f in ild.scms]
    return ILD(ild.mixing, (first, *scms[1:]), ild.domains)


def _permuted(f: LinearSCM, order: np.ndarray) -> LinearSCM:
    """h∘f∘h for an exchange h of two latents: rows and columns of the parameters, no arithmetic."""
    lower = np.tril(np.asarray(f.weights), -1)
    return LinearSCM(lower[order][:, order], np.asarray(f.scale)[order], np.asarray(f.bias)[order])


def _check_swap(ild: ILD, j: int, j_prime: int, intervened: frozenset[int]) -> None:
    if not 0 <= j < j_prime < ild.m:
        raise ValueError(
            f"j and j_prime must satisfy 0 <= j < j_prime < {ild.m}; got {j}, {j_prime}."
        )
    if intervention_set([ild.scms[0], Identity((ild.m,))]).indices:
        raise AssumptionError(
            "the Swapping Lemma asks for f_1 = Id, and the first SCM is not the identity; "
            "start from the first step of identity_canonical_form."
        )
    if j not in intervened:
        raise AssumptionError(
            f"the Swapping Lemma asks for an intervened j; {j} is not in {set(intervened)}."
        )
    blocked = sorted(i for i in intervened if j < i <= j_prime)
    if blocked:
        raise AssumptionError(
            f"the Swapping Lemma asks for no intervened index in ({j}, {j_prime}]; {blocked} are."
        )
