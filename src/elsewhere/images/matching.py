"""Which images of two domains are the same thing, where only distances between images can tell.

Entropic Gromov–Wasserstein: the joint distribution of two samples under which distances within one
are most like distances within the other (Peyré, Cuturi & Solomon, 2016). It has local optima, so
it is run from several random starts, on several samples, cooling down.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.images.appearance import Appearance
from elsewhere.images.autoencoder import ImageCodes
from elsewhere.images.neighbours import Edges

SAMPLES, ROWS, STARTS = 3, 256, 8  # of each domain; images in a sample; starts for each
_WARM, _COLD, _STEPS, _SCALINGS = 0.05, 0.002, 60, 20  # in mean squared distances
_ROUGH = 3.0  # how uneven a start is, in nats
_WIDTH = 0.1  # of the kernel between anchors, in root mean squared distances
_TINY = 1e-12


class Match(eqx.Module):
    """What an image would look like in the next domain, by the anchors that look most like it.

    Args:
        ways: (d, d') of every way from a domain to one next to it.
        anchors: for each way, what some images of d look like.
        moved: what those that they are matched with look like, on average, in d'.
    """

    ways: Edges = eqx.field(static=True)
    anchors: Float[Array, "ways n p"]
    moved: Float[Array, "ways n p"]

    def __call__(
        self, looks: Float[Array, "b p"], d: Int[Array, " b"], target: Int[Array, " b"]
    ) -> Float[Array, "b p"]:
        """Σ_i w_i moved_i, w_i falling with the distance to anchor i; to be traced."""
        found = jnp.zeros_like(looks)
        for (source, end), anchors, moved in zip(self.ways, self.anchors, self.moved, strict=True):
            width = _WIDTH**2 * 2 * jnp.square(anchors - anchors.mean(axis=0)).sum(axis=1).mean()
            near = jax.nn.softmax(-_squares(looks, anchors) / (2 * width + _TINY), axis=1)
            here = (d == source) & (target == end)
            found = jnp.where(here[:, None], near @ moved, found)
        return found

    def miss(
        self,
        before: Float[Array, "b p"],
        after: Float[Array, "b p"],
        d: Int[Array, " b"],
        target: Int[Array, " b"],
    ) -> Float[Array, ""]:
        """Mean |after − match(before)|², by the mean squared distance of anchors to their mean."""
        spread = jnp.square(self.anchors - self.anchors.mean(axis=1, keepdims=True)).sum(axis=2)
        missed = jnp.square(after - self(before, d, target)).sum(axis=1)
        return missed.mean() / (spread.mean() + _TINY)


def match_domains(
    key: PRNGKeyArray,
    looks: Appearance,
    codes: ImageCodes,
    domains: Int[np.ndarray, " n"],
    edges: Edges,
) -> Match:
    """The match of every two domains next to each other, both ways.

    Args:
        key: which codes are drawn, and the random starts.
        looks: what distances are measured by.
        codes: q(z | x) of all images.
        domains: the domain of each, counted from 0.
        edges: which domains are next to each other.
    """
    rng, parts = generator(key), {}
    for edge in edges:
        tables = [codes.mean[domains == d] for d in edge]
        size = min(ROWS, *map(len, tables))
        for start in jax.random.split(jax.random.fold_in(key, edge[0]), SAMPLES):
            one, other = (looks(jnp.asarray(rng.permutation(t)[:size])) for t in tables)
            joint = gromov_wasserstein(start, one, other)
            parts.setdefault(edge, []).append((one, _means(joint, other)))
            parts.setdefault(edge[::-1], []).append((other, _means(joint.T, one)))
    size = min(sum(len(one) for one, _ in part) for part in parts.values())
    sides = [zip(*part, strict=True) for part in parts.values()]
    anchors, moved = (
        jnp.stack([jnp.concatenate(tables)[:size] for tables in side])
        for side in zip(*sides, strict=True)
    )
    return Match(tuple(parts), anchors, moved)


def gromov_wasserstein(
    key: PRNGKeyArray, one: Float[Array, "n p"], other: Float[Array, "n p"]
) -> Float[Array, "n n"]:
    """argmin_T Σ (|a_i − a_j| − |b_k − b_l|)² T_ik T_jl over couplings T, of several starts."""
    first, second = (jnp.sqrt(jnp.maximum(_squares(x, x), 0)) for x in (one, other))
    scale = jnp.sqrt(jnp.square(first).mean() + _TINY)
    keys = jax.random.split(key, STARTS)
    joints, costs = _solve(keys, first / scale, second / scale)
    return joints[jnp.argmin(costs)]


@jax.jit
def _solve(
    keys: Key[Array, " starts"], one: Float[Array, "n n"], other: Float[Array, "n n"]
) -> tuple[Float[Array, "starts n n"], Float[Array, " starts"]]:
    return jax.lax.map(functools.partial(_from_one_start, one=one, other=other), keys)


def _from_one_start(
    key: PRNGKeyArray, one: Float[Array, "n n"], other: Float[Array, "n n"]
) -> tuple[Float[Array, "n n"], Float[Array, ""]]:
    """(T, its cost): T is made anew from the costs that it has itself, ever colder."""
    n = len(one)
    own = jnp.square(one).mean(axis=1)[:, None] + jnp.square(other).mean(axis=1)

    def step(carry: tuple[Array, Array], heat: Array) -> tuple[tuple[Array, Array], None]:
        joint, potential = carry
        return _coupling(-(own - 2 * one @ joint @ other) / heat, potential), None

    start = _coupling(_ROUGH * jax.random.normal(key, (n, n), one.dtype), jnp.zeros(n, one.dtype))
    heats = jnp.geomspace(_WARM, _COLD, _STEPS).astype(one.dtype) / 2
    (joint, _), _ = jax.lax.scan(step, start, heats)
    return joint, ((own - 2 * one @ joint @ other) * joint).sum()


def _coupling(
    logits: Float[Array, "n n"], potential: Float[Array, " n"]
) -> tuple[Float[Array, "n n"], Float[Array, " n"]]:
    """exp(logits + u + v) whose rows and columns all add up to 1/n, nearly, by Sinkhorn."""
    log_n = jnp.log(len(logits))

    def scaling(v: Array, _: None) -> tuple[Array, Array]:
        u = -log_n - jax.nn.logsumexp(logits + v, axis=1)
        return -log_n - jax.nn.logsumexp(logits + u[:, None], axis=0), u

    v, us = jax.lax.scan(scaling, potential, length=_SCALINGS)
    return jnp.exp(logits + us[-1][:, None] + v), v


def _means(joint: Float[Array, "n n"], looks: Float[Array, "n p"]) -> Float[Array, "n p"]:
    return joint @ looks / joint.sum(axis=1, keepdims=True)


def _squares(x: Float[Array, "a p"], y: Float[Array, "b p"]) -> Float[Array, "a b"]:
    """|x_i − y_j|²."""
    return jnp.square(x).sum(axis=1)[:, None] + jnp.square(y).sum(axis=1) - 2 * x @ y.T
