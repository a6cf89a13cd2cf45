"""What covariances leave open of a turn: the shared noise in whose coordinates it is symmetric."""

import numpy as np
from jaxtyping import Float

Matrices = Float[np.ndarray, "D r r"]


def variance_left_open(
    coded: Float[np.ndarray, "n r"], forms: Float[np.ndarray, "r r r"]
) -> Float[np.ndarray, "n r"]:
    """cᵀ Q_a c of every row c and code a."""
    return np.stack([((coded @ Q) * coded).sum(axis=1) for Q in forms], axis=1)


def forms_left_open(
    scales: Matrices, turns: Matrices, variances: Float[np.ndarray, " r"], i: int, j: int
) -> Float[np.ndarray, "r r r"]:
    """Q_a with cᵀ Q_a c = E[(ΔT c)_a²], ΔT_ab = λ_a [S_j − S_i, H]_ab/(λ_a + λ_b) + K_j − K_i.

    Any T with T Σ_i Tᵀ = Σ_j explains two covariances. Which of them a least change makes depends
    on what all domains share: their effects S_d = L_d + G_d are known about their own mean H only,
    for which nothing but their spread speaks, H ~ N(0, Var(S)/D). If the shared covariance is
    (1 + H) Λ (1 + H) and not Λ, then T changes by the first term, to second order in H and S. The
    second, K = ½[L, G], is what it matters whether scales and turns act in turn or at once.

    Args:
        scales: L, in the coordinates of the codes.
        turns: G.
        variances: λ, of the shared noise along the codes.
        i: the place of the domain that rows come from.
        j: that of the one they go to.
    """
    S, order = scales + turns, _half_commutators(scales, turns)
    known = S[turns.any(axis=(1, 2))]  # a domain of few rows has no turn of its own
    D, r = known.shape[:2]
    spread = ((known - known.mean(axis=0)) ** 2).sum() / max(D - 1, 1) / (r * (r + 1))
    along = variances[:, None] / np.add.outer(variances, variances)
    forms = spread / D * along[:, :, None] * _of_commutator(S[j] - S[i]) * along[:, None, :]
    apart = order[j] - order[i]
    return forms + apart[:, :, None] * apart[:, None, :]


def _of_commutator(S: Float[np.ndarray, "r r"]) -> Float[np.ndarray, "r r r"]:
    """B_a with qᵀ B_a q = E[([S, H] q)_a²], H symmetric of variance 1, 2 on its diagonal."""
    identity, squared = np.eye(len(S)), S @ S
    crossed = identity[:, :, None] * squared[:, None, :]
    return (
        np.diagonal(squared)[:, None, None] * identity
        - 2 * np.diagonal(S)[:, None, None] * S
        + squared
        + 2 * S[:, :, None] * S[:, None, :]
        - crossed
        - crossed.swapaxes(1, 2)
    )


def _half_commutators(one: Matrices, other: Matrices) -> Matrices:
    """½[L_d, G_d]."""
    return 0.5 * (one @ other - other @ one)
