"""Random ILDs for the tests, made so that hundreds of them run through one compiled function.

Compiling is what costs. A fresh FlowJAX instance stores fresh closures, so `eqx.filter_jit` would
compile again for it: one template per kind and size is built, and each random model is that
template with its array leaves replaced, drawn by NumPy.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from hypothesis import strategies as st

from elsewhere.mixing import leaky_linear, linear, neural_spline, real_nvp
from elsewhere.model import ILD
from elsewhere.scm import AutoregressiveSCM, LinearSCM, tie

MIXINGS = ("linear", "leaky", "real_nvp", "spline")
SCMS = ("linear", "autoregressive")
SIZES = (1, 2, 3, 5, 8)
# Every mixing at every size, and every mixing with both SCMs: a checkerboard of their product.
KINDS = tuple(
    (mixing, SCMS[(i + j) % 2], m) for i, mixing in enumerate(MIXINGS) for j, m in enumerate(SIZES)
)

seeds = st.integers(0, 2**31 - 1)
spreads = st.floats(0.05, 0.5)

compiled = eqx.filter_jit


def masks(m):
    """Any choice of domain-specific rows."""
    return st.lists(st.booleans(), min_size=m, max_size=m).map(np.array)


def random_matrix(rng, m, condition=9.0):
    """Orthogonal times scales times orthogonal, with the stated condition number where m > 1."""
    left, right = (np.linalg.qr(rng.standard_normal((m, m)))[0] for _ in range(2))
    half = np.log(condition) / 2
    log_scale = rng.uniform(-half, half, m)
    if m > 1:
        log_scale[:2] = -half, half
    return jnp.asarray(left * np.exp(log_scale) @ right)


def map_floats(fn, tree):
    """The tree with fn applied to each floating leaf, in NumPy and in the leaf's own precision."""

    def apply(leaf):
        if not isinstance(leaf, jax.Array | np.ndarray) or leaf.dtype.kind != "f":
            return leaf
        return jnp.asarray(fn(np.asarray(leaf)).astype(leaf.dtype))

    return jax.tree.map(apply, tree)


def perturb(rng, tree, spread):
    """The tree with Gaussian noise on every floating leaf."""
    return map_floats(lambda leaf: leaf + spread * rng.standard_normal(leaf.shape), tree)


def shrink(tree, factor):
    """The tree with every floating leaf multiplied by the factor."""
    return map_floats(lambda leaf: factor * leaf, tree)


@functools.cache
def _template(kind, m, x64):
    """One instance per kind, size and precision; `perturb` moves it away from where it starts."""
    key = jax.random.key(0, impl="unsafe_rbg")  # compiles several times faster than threefry
    match kind:
        case "real_nvp":
            return real_nvp(key, m, couplings=2, width=4)
        case "spline":
            return neural_spline(key, m, couplings=2, width=4, knots=5)
    shapes = eqx.filter_eval_shape(AutoregressiveSCM, key, m, hidden=4)
    return jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)


# A coupling's network is unbounded in z: at full size its splines get so steep that ε → x → ε keeps
# 7 digits of 16, and none in float32. The tight tolerances are for networks of this relative size.
_SIZE_OF_NETWORK = {"real_nvp": 0.6, "spline": 0.2}


def random_mixing(rng, kind, m, spread):
    """One of MIXINGS, away from the identity."""
    if kind in _SIZE_OF_NETWORK:
        mixing = perturb(rng, _template(kind, m, jax.config.jax_enable_x64), spread)
        return shrink(mixing, _SIZE_OF_NETWORK[kind]) if m > 1 else mixing
    make = {"linear": linear, "leaky": leaky_linear}[kind]
    return make(random_matrix(rng, m), jnp.asarray(rng.standard_normal(m)))


def random_scm(rng, kind, m, spread, *, signed=True):
    """One of SCMS; a linear one has scales in ±[1/3, 3], or only + where not signed."""
    if kind == "autoregressive":
        return perturb(rng, _template(kind, m, jax.config.jax_enable_x64), spread)
    sign = rng.choice([-1.0, 1.0], m) if signed else 1.0
    return LinearSCM(
        jnp.asarray(spread * rng.standard_normal((m, m))),
        jnp.asarray(sign * np.exp(rng.uniform(-np.log(3), np.log(3), m))),
        jnp.asarray(rng.standard_normal(m)),
    )


def random_ild(seed, mixing_kind, scm_kind, m, num_domains, mask, spread, *, signed=True):
    """An ILD whose domains differ exactly in the mechanisms where mask is True."""
    rng = np.random.default_rng(seed)
    mixing = random_mixing(rng, mixing_kind, m, spread)
    shared, *rest = (
        random_scm(rng, scm_kind, m, spread, signed=signed) for _ in range(1 + num_domains)
    )
    return ILD(mixing, [tie(shared, specific, mask) for specific in rest])


def gap(a, b):
    """max |a - b|, relative to max |b| where that exceeds 1."""
    return float(np.abs(a - b).max(initial=0.0) / max(1.0, np.abs(b).max(initial=0.0)))
