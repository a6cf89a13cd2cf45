"""Weight-varying latents: all causal weights change between domains, the noise does not."""

from dataclasses import dataclass, replace
from typing import ClassVar, final

import numpy as np
from jaxtyping import Float
from scipy.linalg import expm
from scipy.optimize import minimize

from elsewhere.baselines.interface import DomainMap
from elsewhere.comparators.autoregressive import all_before, fit_autoregressive
from elsewhere.comparators.interface import Assumption, Comparator, Samples
from elsewhere.errors import AssumptionError


@final
@dataclass(frozen=True)
class WeightVarying(Comparator):
    """x = G z, z_j = Σ_i<j w_ij(d) z_i + b_j(d) + ε_j, Var ε_j alike in all domains; by likelihood.

    With other noise in every domain too, as the authors allow, each G has the same likelihood under
    a linear mixing and normal noise: theirs is nonlinear, and trained as an autoencoder.

    Args:
        draws: random axes, the best of which start a search.
        starts: how many of them.
        seed: of the draws.
    """

    source: ClassVar[str] = (
        "Y. Liu, Z. Zhang, D. Gong, M. Gong, B. Huang, A. van den Hengel, K. Zhang, J. Q. Shi: "
        "Identifying weight-variant latent causal models. 2022 (arXiv:2208.14153)."
    )

    draws: int = 5_000
    starts: int = 30
    seed: int = 0

    def _require(self, num_domains: int, m: int) -> None:
        if 2 * num_domains < m + 1:
            raise AssumptionError(
                f"the weights of {m} latents need at least {(m + 2) // 2} domains; got "
                f"{num_domains}."
            )

    def _learn(self, samples: Samples) -> DomainMap:
        H = self._axes(samples)
        order = tuple(range(len(H)))
        options = {"degree": 1, "base": "normal", "varying": False}
        found = fit_autoregressive(samples, order, all_before(order), to_latent=H, **options)
        scales = np.array([[np.exp(2 * node.s[0]) for node in nodes] for nodes in found.nodes])
        logs = np.log(scales.mean(0)) / 2
        nodes = (
            tuple(replace(node, s=s[None]) for node, s in zip(mine, logs, strict=True))
            for mine in found.nodes
        )
        return replace(found, nodes=tuple(nodes))

    def _axes(self, samples: Samples) -> Float[np.ndarray, "m m"]:
        """H at the best of several starts, each by BFGS over rotations of whitened rows."""
        covariances = np.stack([np.cov(x.T) for x in samples])
        root = np.linalg.inv(np.linalg.cholesky(covariances.mean(0)))
        white, m = root @ covariances @ root.T, len(root)
        upper, rng = np.triu_indices(m, 1), np.random.default_rng(self.seed)

        def turned(start: np.ndarray, angles: np.ndarray) -> np.ndarray:
            skew = np.zeros((m, m))
            skew[upper] = angles
            return expm(skew - skew.T) @ start

        draws = np.linalg.qr(rng.standard_normal((self.draws, m, m)))[0]
        first = np.argsort(unexplained(draws, white))[: self.starts if m > 1 else 0]
        best, value = root, np.inf
        for start in draws[first]:
            cost = lambda a, start=start: float(unexplained(turned(start, a), white))  # noqa: E731
            found = minimize(cost, np.zeros(len(upper[0])), method="BFGS")
            if found.fun < value:
                best, value = turned(start, found.x) @ root, found.fun
        return best

    def _check(self, samples: Samples) -> tuple[Assumption, ...]:
        volumes = [np.linalg.slogdet(np.cov(x.T))[1] for x in samples]
        errors = [2 * x.shape[1] / len(x) for x in samples]  # variances of log|Σ| of normal rows
        apart = (max(volumes) - min(volumes)) / np.sqrt(2 * max(errors))
        words = f"log-volumes of the domains differ by {apart:.1f} standard errors at most"
        return (
            Assumption("weights change, the noise does not", bool(apart < 4), words),
            Assumption("mixing and mechanisms are linear", None, "not tested"),
        )


def unexplained(
    Q: Float[np.ndarray, "*k m m"], covariances: Float[np.ndarray, "D m m"]
) -> Float[np.ndarray, "*k"]:
    """½ Σ_j log mean_d Var_d(z_j | z_<j): minus the log-likelihood, mechanisms at their best."""
    turned = Q[..., None, :, :] @ covariances @ Q[..., None, :, :].mT
    variances = np.diagonal(np.linalg.cholesky(turned), axis1=-2, axis2=-1) ** 2
    return np.asarray(np.log(variances.mean(-2)).sum(-1) / 2)
