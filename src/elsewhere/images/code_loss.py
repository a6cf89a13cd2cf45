"""What a model of codes is fitted by: likelihood, and weights on how much it changes a code."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from elsewhere.images.code_models import SharedMixing, log_normal
from elsewhere.images.descent import Now
from elsewhere.images.neighbours import Edges

Weight = tuple[float, float]  # after a rise from 0, and at the end
NONE: Weight = (0.0, 0.0)


@dataclass(frozen=True)
class NegativeLikelihood:
    """−log p_d(z) + change · |(z_{d→d'} − z)/sd|² + volume · (log p_d'(z_{d→d'}) − log p_d(z))².

    Means over a batch with z ~ q(z | x), and d' next to d.
    """

    change: Weight
    volume: Weight
    wait: float
    edges: Edges

    def __call__(
        self,
        model: SharedMixing,
        now: Now,
        mean: Float[Array, "n m"],
        log_variance: Float[Array, "n m"],
        d: Int[Array, " n"],
    ) -> Float[Array, ""]:
        """The loss of a batch of posteriors."""
        key, own = jax.random.split(now.key)
        noise = jax.random.normal(key, mean.shape, mean.dtype)
        return self.of_codes(
            model, Now(own, now.done), mean + jnp.exp(0.5 * log_variance) * noise, d
        )

    def of_codes(
        self, model: SharedMixing, now: Now, z: Float[Array, "n m"], d: Int[Array, " n"]
    ) -> Float[Array, ""]:
        """The loss of codes; the change of a quarter of them."""
        eps, log_det = model.noise(z, d)
        loss = -(log_normal(eps) + log_det).mean()
        if not self.edges or self.change == self.volume == NONE:
            return loss
        few = max(1, len(z) // 4)
        moved, stretch = model.codes(eps[:few], self._neighbour(now.key, d[:few]))
        change = (moved - z[:few]) / jax.lax.stop_gradient(z.std(axis=0))
        return (
            loss
            + self._at(self.change, now.done) * jnp.square(change).sum(axis=1).mean()
            + self._at(self.volume, now.done) * jnp.square(log_det[:few] + stretch).mean()
        )

    def _neighbour(self, key: PRNGKeyArray, d: Int[Array, " n"]) -> Int[Array, " n"]:
        """A domain next to each, at random."""
        size = max(max(edge) for edge in self.edges) + 1
        beside = np.zeros((size, size))
        for one, other in self.edges:
            beside[one, other] = beside[other, one] = 1
        return jax.random.categorical(key, jnp.log(jnp.asarray(beside))[d])

    def _at(self, weight: Weight, done: Float[Array, ""]) -> Float[Array, ""] | float:
        """From start to end along a geometric series; nothing while it waits, then rising as long.

        Before it counts, the domains must have parted: held back from the first step, a model may
        learn to ignore them and never recover.
        """
        start, end = weight
        rise = jnp.clip(done / self.wait - 1, 0, 1) if self.wait else 1.0
        return rise * start * (end / start) ** done if start else 0.0
