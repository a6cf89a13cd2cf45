"""Members of M(k): ILDs with the truth's distributions and at most max(k, k*) interventions."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from flowjax.bijections import AbstractBijection
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import Affine, as_affine, compose
from elsewhere.draws import generator
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.theory.canonical import identity_canonical_form

_MAX_PERMUTED = 4


def equivalent_members(key: PRNGKeyArray, truth: ILD, k: int, *, count: int = 32) -> list[ILD]:
    """ILDs in M(k) = {(g, F) ≃_D truth, |I| ≤ max(k, k*)}, as many different kinds as are known.

    Linear SCMs (any mixing): in the identity canonical form the last w latents are rotated by R,
    z' = R z, for w = k*, …, k (so the members for k are among those for k + 1), and every f'_d is
    the Cholesky factor of the rotated law: orderings of these latents (all of them up to 4, else
    random ones) and `count` random rotations. Other SCMs: sign flips of the intervened noises,
    domain by domain, which leave every distribution as it is. A finite set: a minimum over it
    is at least the theorem's (A), a maximum at most its (B).
    """
    if not 0 <= k <= truth.m:
        raise ValueError(f"k must be in 0..{truth.m}; got {k}.")
    form = identity_canonical_form(truth)
    least = len(form.intervened)
    if any(as_affine(f) is None for f in form.ild.scms):
        return _flipped(key, form.ild, least, count)
    widths = range(least, max(k, least) + 1)
    rotations = [_rotations(jax.random.fold_in(key, w), truth.m, w, count) for w in widths]
    return [_rotated(form.ild, R) for every in rotations for R in every]


def _rotations(key: PRNGKeyArray, m: int, width: int, count: int) -> list[Float[np.ndarray, "m m"]]:
    rng = generator(key)
    turns = [np.linalg.qr(rng.standard_normal((width, width)))[0] for _ in range(count)]
    orders = (
        itertools.permutations(range(width))
        if width <= _MAX_PERMUTED
        else (rng.permutation(width) for _ in range(count))
    )
    swaps = [np.eye(width)[list(order)] for order in orders]
    fixed = np.eye(m - width)
    return [np.asarray(scipy.linalg.block_diag(fixed, block)) for block in swaps + turns]


def _rotated(canonical: ILD, R: Float[np.ndarray, "m m"]) -> ILD:
    """g' = g∘Rᵀ and f'_d(ε) = chol(R F_d F_dᵀ Rᵀ) ε + R b_d."""

    def rotate(f: AbstractBijection) -> LinearSCM:
        parts = as_affine(f)
        assert parts is not None
        F = R @ parts[0]
        return LinearSCM.from_affine(np.linalg.cholesky(F @ F.T), R @ parts[1])

    scms = [rotate(f) for f in canonical.scms]
    return ILD(compose(canonical.mixing, Affine(R.T)), scms, canonical.domains)


def _flipped(key: PRNGKeyArray, canonical: ILD, width: int, count: int) -> list[ILD]:
    """f'_d = f_d∘diag(±1 on the intervened noises), f_1 as it is."""
    signs = jax.random.rademacher(key, (count, canonical.num_domains, canonical.m))
    fixed = (jnp.arange(canonical.m) < canonical.m - width)[None] | (
        jnp.arange(canonical.num_domains)[:, None] == 0
    )
    signs = jnp.where(fixed, 1.0, signs.astype(canonical.dtype))

    def flip(pattern: Array) -> ILD:
        pairs = zip(canonical.scms, pattern, strict=True)
        scms = [compose(f, Affine(jnp.diag(s))) for f, s in pairs]
        return ILD(canonical.mixing, scms, canonical.domains)

    return [flip(pattern) for pattern in signs]
