"""T3: the counterfactual error is at most (A) lack of fit + (B) what equal fits leave open."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import as_affine, push
from elsewhere.model import ILD
from elsewhere.theory.canonical import identity_canonical_form
from elsewhere.theory.closed_forms import affine_in_double
from elsewhere.theory.distance import Distance, counterfactual_distance
from elsewhere.theory.intervention import intervention_set
from elsewhere.theory.lipschitz import lipschitz_constant
from elsewhere.theory.members import equivalent_members
from elsewhere.theory.search import probe_noise


@dataclass(frozen=True)
class LipschitzTerm:
    """k · L_g² · max_i E[f_d(ε) − f_d'(ε)]_i² of one model in identity canonical form."""

    k: int
    lipschitz: float
    lipschitz_exact: bool
    largest_latent_difference: float
    latent_difference_exact: bool

    @property
    def value(self) -> float:
        """The product."""
        return self.k * self.lipschitz**2 * self.largest_latent_difference


@dataclass(frozen=True)
class ErrorBound:
    """ε ≤ A + B, and (B) ≤ its Lipschitz form; over the members of M(k) that were found.

    With a finite set of members the first inequality still holds (it is the triangle inequality for
    the member nearest to the estimate), while A is at least, and B at most, the theorem's.
    `lipschitz_printed` is the theorem's formula on identity canonical forms; it can be exceeded.
    `lipschitz_proven` has the factor 2 under the root that the paper's proof produces (by
    (a+b)² ≤ 2a² + 2b²) and its statement drops. `lipschitz_normalised` bounds the maximum over M(k)
    in it by what the distributions fix, so it holds for members that were not found as well; None
    where the SCMs are not linear.
    """

    error: Distance
    a: float
    b: float
    worst: LipschitzTerm
    truth: LipschitzTerm
    num_members: int
    largest_term: float | None = None

    @property
    def bound(self) -> float:
        """A + B."""
        return self.a + self.b

    @property
    def lipschitz_printed(self) -> float:
        """[max k̃ L² max E + k* L*² max E*]^½, as the theorem states it."""
        return (self.worst.value + self.truth.value) ** 0.5

    @property
    def lipschitz_proven(self) -> float:
        """√2 times the printed one: what the proof shows."""
        return 2**0.5 * self.lipschitz_printed

    @property
    def lipschitz_normalised(self) -> float | None:
        """[2 max(k, k*) L*² Ē + 2 k* L*² max E*]^½, Ē from `largest_latent_difference`."""
        if self.largest_term is None:
            return None
        return (2 * self.largest_term + 2 * self.truth.value) ** 0.5


def error_bound(
    key: PRNGKeyArray,
    estimate: ILD,
    truth: ILD,
    k: int,
    *,
    members: Sequence[ILD] = (),
    num_members: int = 32,
    num_points: int = 2_000,
) -> ErrorBound:
    """d_C(estimate, truth) ≤ min_M d_C(estimate, M) + max_M d_C(M, truth), M in M(k).

    `members` adds ILDs known to be in M(k) to the `num_members` or more that
    `equivalent_members` makes.
    """
    member_key, distance_key = jax.random.split(key)
    found = [truth, *members, *equivalent_members(member_key, truth, k, count=num_members)]

    def distance(a: ILD, b: ILD) -> Distance:
        return counterfactual_distance(distance_key, a, b, num_points=num_points)

    terms = [lipschitz_term(member) for member in found]
    return ErrorBound(
        error=distance(truth, estimate),
        a=min(distance(member, estimate).value for member in found),
        b=max(distance(truth, member).value for member in found),
        worst=max(terms, key=lambda term: term.value),
        truth=terms[0],
        num_members=len(found),
        largest_term=_largest_term(truth, max(k, terms[0].k), terms[0].lipschitz),
    )


def lipschitz_term(model: ILD, *, num_points: int = 256) -> LipschitzTerm:
    """The constants of the Lipschitz form of (B), on the identity canonical form of the model.

    Only there does f_d − f_d' vanish outside k coordinates, which the proof uses.
    """
    form = identity_canonical_form(model).ild
    eps = probe_noise(num_points, form.m, spread=1.0)
    linear = as_affine(form.mixing) is not None  # and then no points are looked at
    z = eps if linear else jnp.concatenate([push(f, eps) for f in form.scms])
    constant, constant_exact = lipschitz_constant(form.mixing, z)
    differences, exact = _latent_differences(form, eps)
    return LipschitzTerm(
        len(intervention_set(form)), constant, constant_exact, float(differences.max()), exact
    )


def largest_latent_difference(truth: ILD) -> float | None:
    """Ē = mean over d, d' of (√λ_d + √λ_d')² + ‖μ_d − μ_d'‖² off the diagonal.

    None where the SCMs are not linear.

    μ_d and λ_d are the mean and the largest variance along any direction of the latents of domain d
    in units in which those of the first are N(0, I). A turn of the latents changes neither, so
    max_i E[f̃_d − f̃_d']_i² ≤ Ē for every member whose latents are an affine map of the truth's.
    """
    parts = [affine_in_double(f) for f in identity_canonical_form(truth).ild.scms]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    widths = np.array([np.linalg.norm(F, 2) for F, _ in known])
    means = np.stack([c for _, c in known])
    apart = ((means[:, None] - means[None]) ** 2).sum(-1)
    both = (widths[:, None] + widths[None]) ** 2 + apart
    return float((both - np.diag(np.diag(both))).mean())


def _largest_term(truth: ILD, k: int, lipschitz: float) -> float | None:
    difference = largest_latent_difference(truth)
    return None if difference is None else k * lipschitz**2 * difference


def _latent_differences(form: ILD, eps: Float[Array, "n m"]) -> tuple[np.ndarray, bool]:
    """E over d, d', ε of [f_d(ε) − f_d'(ε)]_i² by coordinate i, and whether it is a closed form."""
    parts = [affine_in_double(f) for f in form.scms]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts):
        both = np.stack([np.column_stack(part) for part in known])
        gaps = both[:, None] - both[None]
        return (gaps**2).sum(-1).mean((0, 1)), True
    z = np.stack([push(f, eps) for f in form.scms])
    return ((z[:, None] - z[None]) ** 2).mean((0, 1, 2)), False
