"""Where encoders and decoders start: anywhere, or where Dense ended, its latents turned."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from elsewhere.bijections import as_affine, push
from elsewhere.fitting.gradient.model import Parameters, near_identity
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.pseudo.model import Coder
from elsewhere.fitting.pseudo.objective import PseudoConstants, assembled
from elsewhere.fitting.read_back import linear_mechanisms
from elsewhere.fitting.run import run_engine
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.theory import canonical_form

DRAWN = 4_000  # latents of each domain that stand in for their means and covariances
_BRIEF = replace(DEFAULT, classes=1, polish_steps=1)


def random_start(
    key: PRNGKeyArray, columns: int, latent: int, width: int, num_domains: int
) -> Parameters:
    """Random encoder and decoder, SCMs near the identity."""
    first, second = jax.random.split(key)
    coder = eqx.filter(Coder(first, columns, latent, width), eqx.is_array)
    near = jax.vmap(lambda a: near_identity(a, "linear", latent, 0.1))
    shared = near_identity(second, "linear", latent, 0.0)
    return Parameters(coder, shared, near(jax.random.split(second, num_domains)))


def sparse_start(
    key: PRNGKeyArray, dense: Parameters, given: PseudoConstants, k: int
) -> Parameters:
    """Dense in latents z' = A⁻¹ (z − b), of which all but the last k mechanisms are shared.

    `Profile` finds A and b from latents that Dense draws. From random latents the k mechanisms may
    settle where the decoder does not look, and then rows do not move at all.
    """
    _, scms = assembled(dense, given)
    m = dense.shared.bias.shape[-1]
    noise = jax.random.normal(key, (DRAWN, m))
    rows = np.asarray(eqx.filter_vmap(push, in_axes=(eqx.if_array(0), None))(scms, noise))
    found = run_engine(Profile("linear", options=_BRIEF), key, rows, [k])[k]
    model = canonical_form(cast(ILD, found.model)).ild
    A, b = as_affine(model.mixing)  # type: ignore[misc]
    mechanisms = linear_mechanisms(model)
    assert mechanisms is not None
    log_scales = np.log(np.abs(mechanisms.scales))  # a noise of either sign is as likely
    arrays = (mechanisms.weights, log_scales, mechanisms.biases)
    return Parameters(
        _turned(dense.mixing, jnp.asarray(A, float), jnp.asarray(b, float)),
        _with_arrays(dense.shared, [a[0] for a in arrays]),
        _with_arrays(dense.specific, arrays),
    )


def _with_arrays(scm: LinearSCM, arrays: Sequence[np.ndarray]) -> LinearSCM:
    return eqx.tree_at(
        lambda f: (f.weights, f.scale, f.bias), scm, [jnp.asarray(a, float) for a in arrays]
    )


def _turned(coder: Coder, A: Float[Array, "m m"], b: Float[Array, " m"]) -> Coder:
    """Encoder and decoder of z' = A⁻¹ (z − b): both are affine next to the latents."""
    m, last, first = len(b), coder.encoder.layers[-1], coder.decoder.layers[0]
    weight = last.weight.at[:m].set(jnp.linalg.solve(A, last.weight[:m]))
    bias = last.bias.at[:m].set(jnp.linalg.solve(A, last.bias[:m] - b))  # type: ignore[union-attr]
    return eqx.tree_at(
        lambda c: (
            *(c.encoder.layers[-1].weight, c.encoder.layers[-1].bias),
            *(c.decoder.layers[0].weight, c.decoder.layers[0].bias),
        ),
        coder,
        (weight, bias, first.weight @ A, first.bias + first.weight @ b),  # type: ignore[operator]
    )
