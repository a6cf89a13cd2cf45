"""Whether a model of codes uses what distinguishes the domains, or has learnt to ignore them."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from elsewhere.images.batches import in_batches
from elsewhere.images.code_models import OwnMixings, SharedMixing, log_normal

ROWS = 4_000  # codes by which it is judged, at most
LEAST_NATS = 0.1  # nats below which domains are hardly told apart by anything


def ignoring_note(
    model: SharedMixing | OwnMixings, z: Float[np.ndarray, "n m"], domains: Int[np.ndarray, " n"]
) -> tuple[str, ...]:
    """A warning where a linear discriminant finds twice as much about the domain as the model."""
    if isinstance(model, OwnMixings):
        return ()
    few = slice(None, None, -(-len(z) // ROWS))
    linear, own = linear_information(z[few], domains[few]), information(model, z[few], domains[few])
    if linear < max(LEAST_NATS, 2 * own):
        return ()
    return (
        f"the model finds {own:.2f} nats of information about the domain in a code, a linear "
        f"discriminant {linear:.2f}: it has learnt to ignore the domains, and its answers hardly "
        "differ from the images asked about. Lower FlowSettings(change=..., volume=...), or raise "
        "its steps.",
    )


def information(
    model: SharedMixing, z: Float[np.ndarray, "n m"], domains: Int[np.ndarray, " n"]
) -> float:
    """mean of log p_d(z) − log mean_e p_e(z): nats about the domain per code, ≤ log D."""
    every = np.arange(len(model.scm.lower))
    log_p = np.stack([in_batches(_log_probs, model, z, jnp.asarray(d)) for d in every], axis=1)
    log_share = np.asarray(jax.nn.log_softmax(log_p, axis=1))
    return float(log_share[np.arange(len(z)), domains].mean() + np.log(len(every)))


def linear_information(z: Float[np.ndarray, "n m"], domains: Int[np.ndarray, " n"]) -> float:
    """The same of Gaussians with one covariance for all domains."""
    count = int(domains.max()) + 1
    uniform = np.full(count, 1 / count)
    judge = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto", priors=uniform)
    shares = judge.fit(z, domains).predict_proba(z)[np.arange(len(z)), domains]
    return float(np.log(np.maximum(shares, 1e-12)).mean() + np.log(count))


def _log_probs(model: SharedMixing, z: Float[Array, "n m"], d: Array) -> Float[Array, " n"]:
    eps, log_det = model.noise(z, jnp.full(len(z), d))
    return log_normal(eps) + log_det
