"""Members of M(k): ILDs with the truth's distributions and at most max(k, k*) interventions."""

import itertools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from flowjax.bijections import AbstractBijection
from jaxtyping import Float, PRNGKeyArray

from elsewhere.bijections import Affine, compose
from elsewhere.draws import generator
from elsewhere.model import ILD
from elsewhere.theory.canonical import identity_canonical_form
from elsewhere.theory.characterisation import composed
from elsewhere.theory.closed_forms import affine_in_double, linear_identity, linear_scm_like

_MAX_PERMUTED = 4
_MAX_PATTERNS = 16


def equivalent_members(key: PRNGKeyArray, truth: ILD, k: int, *, count: int = 32) -> list[ILD]:
    """ILDs in M(k) = {(g, F) ≃_D truth, |I| ≤ max(k, k*)}, as many different kinds as are known.

    Linear SCMs (any mixing): in the identity canonical form the last w latents are rotated by R,
    z' = R z, for w = k*, …, k (so the members for k are among those for k + 1), and every f'_d is
    the Cholesky factor of the rotated law times signs of the last w noises, which no distribution
    shows. R runs over the orderings of these latents (all of them up to 4, else random ones) and
    `count` random rotations, each with one pattern of signs in turn; R = I meets every pattern, up
    to 16 of them. Other SCMs: signs of the intervened noises alone. A finite set: a
    minimum over it is at least the theorem's (A), a maximum at most its (B).
    """
    if not 0 <= k <= truth.m:
        raise ValueError(f"k must be in 0..{truth.m}; got {k}.")
    form = identity_canonical_form(truth)
    least = len(form.intervened)
    if any(affine_in_double(f) is None for f in form.ild.scms):
        patterns = _sign_patterns(key, form.ild, least, max(count, 1))
        return [_flipped(form.ild, signs) for signs in patterns]
    widths = range(least, max(k, least) + 1)
    every = (_of_width(jax.random.fold_in(key, w), form.ild, w, count) for w in widths)
    return [member for members in every for member in members]


def _of_width(key: PRNGKeyArray, canonical: ILD, width: int, count: int) -> Iterator[ILD]:
    patterns = _sign_patterns(key, canonical, width, _MAX_PATTERNS)
    rotations = _rotations(key, canonical.m, width, count)
    for signs in patterns:
        yield _rotated(canonical, np.eye(canonical.m), width, signs)
    for i, R in enumerate(rotations):
        yield _rotated(canonical, R, width, patterns[i % len(patterns)])


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


def _sign_patterns(
    key: PRNGKeyArray, canonical: ILD, width: int, most: int
) -> list[Float[np.ndarray, "D m"]]:
    """Signs of the last `width` noises in all domains but the first: none, then all or a choice."""
    D, m = canonical.num_domains, canonical.m
    free = (D - 1) * width
    if free < 30 and 2**free <= most:
        choices = [np.array(signs) for signs in itertools.product([1.0, -1.0], repeat=free)]
    else:
        rng = generator(jax.random.fold_in(key, 1))
        choices = [np.ones(free), -np.ones(free)]
        choices += [rng.choice([1.0, -1.0], free) for _ in range(most - 2)]
    patterns = [np.ones((D, m)) for _ in choices]
    for pattern, signs in zip(patterns, choices, strict=True):
        pattern[1:, m - width :] = signs.reshape(D - 1, width)
    return patterns


def _rotated(
    canonical: ILD, R: Float[np.ndarray, "m m"], width: int, signs: Float[np.ndarray, "D m"]
) -> ILD:
    """g' = g∘Rᵀ and f'_d(ε) = chol(R F_d F_dᵀ Rᵀ) diag(±1) ε + R b_d, f'_1 = Id."""
    dtype, cut = canonical.dtype, canonical.m - width

    def rotate(f: AbstractBijection, sign: Float[np.ndarray, " m"]) -> AbstractBijection:
        parts = affine_in_double(f)
        assert parts is not None
        factor, offset = cholesky_of_square(R @ parts[0]) * sign, R @ parts[1]
        factor[:cut], offset[:cut] = np.eye(canonical.m)[:cut], 0.0  # shared, to the bit
        return linear_scm_like((factor, offset), dtype)

    rest = [rotate(f, sign) for f, sign in zip(canonical.scms[1:], signs[1:], strict=True)]
    scms = [linear_identity(canonical.m, dtype), *rest]
    return ILD(composed(dtype, canonical.mixing, Affine(R.T)), scms, canonical.domains)


def cholesky_of_square(F: Float[np.ndarray, "m m"]) -> Float[np.ndarray, "m m"]:
    """The Cholesky factor of F Fᵀ, from F = L Q, without squaring F's condition."""
    lower = np.linalg.qr(F.T)[1].T
    return lower * np.where(np.diag(lower) < 0, -1.0, 1.0)


def _flipped(canonical: ILD, signs: Float[np.ndarray, "D m"]) -> ILD:
    """f'_d = f_d∘diag(±1 on the intervened noises), f_1 as it is."""

    def flip(f: AbstractBijection, sign: Float[np.ndarray, " m"]) -> AbstractBijection:
        return compose(f, Affine(jnp.diag(jnp.asarray(sign, canonical.dtype))))

    pairs = zip(canonical.scms[1:], signs[1:], strict=True)
    scms = [canonical.scms[0], *(flip(f, sign) for f, sign in pairs)]
    return ILD(canonical.mixing, scms, canonical.domains)
