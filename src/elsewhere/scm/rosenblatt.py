"""D2: an invertible SCM for any autoregressive density, by Rosenblatt's transform."""

from collections.abc import Callable, Sequence

from jax.scipy.special import ndtr, ndtri
from jaxtyping import Array

from elsewhere.scm.mechanisms import Mechanism, MechanismSCM, ScalarMap, monotone_inverse


def from_conditional_cdfs(
    cdfs: Sequence[ScalarMap], quantiles: Sequence[ScalarMap] | None = None
) -> MechanismSCM:
    """z_j = F_j⁻¹(Φ(ε_j) | z_<j): the SCM whose z has the conditional CDFs F_j(z_j | z_<j).

    Args:
        cdfs: m functions (z_j, z_<j) → F_j in (0, 1), increasing in z_j.
        quantiles: their inverses (u, z_<j) → z_j; found by bisection when left out.

    The paper prints f = F_p ∘ F_q⁻¹; with F mapping a density to the uniform one, as its text
    defines it, the composition that works is F_p⁻¹ ∘ F_q, built here with q the standard normal.
    """
    backward = [_noise_of(cdf) for cdf in cdfs]
    if quantiles is None:
        return MechanismSCM([Mechanism(monotone_inverse(b), b) for b in backward])
    forward = [_value_of(quantile) for quantile in quantiles]
    return MechanismSCM([Mechanism(f, b) for f, b in zip(forward, backward, strict=True)])


def _noise_of(cdf: ScalarMap) -> Callable[[Array, Array], Array]:
    return lambda z_j, parents: ndtri(cdf(z_j, parents))


def _value_of(quantile: ScalarMap) -> Callable[[Array, Array], Array]:
    return lambda eps_j, parents: quantile(ndtr(eps_j), parents)
