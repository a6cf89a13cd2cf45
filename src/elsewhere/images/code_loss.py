"""What a model of codes is fitted by: likelihood, and weights on how much it changes a code."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from elsewhere.images.appearance import Appearance, distortion
from elsewhere.images.autoencoder import drawn
from elsewhere.images.code_models import SharedMixing, log_normal
from elsewhere.images.descent import Now
from elsewhere.images.matching import Match
from elsewhere.images.neighbours import Edges
from elsewhere.images.paired_codes import PairedCodes

Weight = tuple[float, float]  # after a rise from 0, and at the end
NONE: Weight = (0.0, 0.0)


class NegativeLikelihood(eqx.Module):
    """−log p_d(z) + change · |(z_{d→d'} − z)/sd|² + volume · (log p_d'(z_{d→d'}) − log p_d(z))².

    Means over a batch with z ~ q(z | x), and d' next to d; then distances · the distortion from
    looks(z) to looks(z_{d→d'}), and matching · how far these are from where a match has them.
    Where images were seen in two domains, paired · |(z_{d→d'} − z')/sd|² of these.
    """

    change: Weight = eqx.field(static=True)
    volume: Weight = eqx.field(static=True)
    wait: float = eqx.field(static=True)
    edges: Edges = eqx.field(static=True)
    distances: Weight = eqx.field(static=True, default=NONE)
    matching: Weight = eqx.field(static=True, default=NONE)
    looks: Appearance | None = None
    match: Match | None = None
    paired: Weight = eqx.field(static=True, default=NONE)
    pairs: PairedCodes | None = None

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
        return self.of_codes(model, Now(own, now.done), drawn(key, mean, log_variance), d)

    def of_codes(
        self, model: SharedMixing, now: Now, z: Float[Array, "n m"], d: Int[Array, " n"]
    ) -> Float[Array, ""]:
        """The loss of codes; the change of a quarter of them."""
        eps, log_det = model.noise(z, d)
        deviation = jax.lax.stop_gradient(z.std(axis=0))
        loss = -(log_normal(eps) + log_det).mean()
        if self.pairs is not None:
            own = jax.random.fold_in(now.key, 1)
            loss += _falling(self.paired, now.done) * self.pairs.miss(own, model, deviation)
        if not self.edges or self.change == self.volume == self.distances == self.matching == NONE:
            return loss
        few = max(1, len(z) // 4)
        target = self._neighbour(now.key, d[:few])
        moved, stretch = model.codes(eps[:few], target)
        change = (moved - z[:few]) / deviation
        return (
            loss
            + self._at(self.change, now.done) * jnp.square(change).sum(axis=1).mean()
            + self._at(self.volume, now.done) * jnp.square(log_det[:few] + stretch).mean()
            + self._of_looks(now.done, z[:few], moved, d[:few], target)
        )

    def _of_looks(
        self,
        done: Float[Array, ""],
        z: Float[Array, "n m"],
        moved: Float[Array, "n m"],
        d: Int[Array, " n"],
        target: Int[Array, " n"],
    ) -> Float[Array, ""]:
        """What the change of looks costs; a match counts from the first step."""
        cost = jnp.zeros(())
        if self.looks is None:
            return cost
        before, after = self.looks(z), self.looks(moved)
        if self.distances != NONE:
            way = d * len(self._beside()) + target  # only what goes the same way is compared
            cost += self._at(self.distances, done) * distortion(before, after, way)
        if self.match is not None:
            cost += _falling(self.matching, done) * self.match.miss(before, after, d, target)
        return cost

    def _neighbour(self, key: PRNGKeyArray, d: Int[Array, " n"]) -> Int[Array, " n"]:
        """A domain next to each, at random."""
        return jax.random.categorical(key, jnp.log(jnp.asarray(self._beside()))[d])

    def _beside(self) -> Float[np.ndarray, "D D"]:
        """1 where two domains are next to each other."""
        size = max(max(edge) for edge in self.edges) + 1
        beside = np.zeros((size, size))
        for one, other in self.edges:
            beside[one, other] = beside[other, one] = 1
        return beside

    def _at(self, weight: Weight, done: Float[Array, ""]) -> Float[Array, ""] | float:
        """From start to end along a geometric series; nothing while it waits, then rising as long.

        Before it counts, the domains must have parted: held back from the first step, a model may
        learn to ignore them and never recover.
        """
        rise = jnp.clip(done / self.wait - 1, 0, 1) if self.wait else 1.0
        return rise * _falling(weight, done)


def _falling(weight: Weight, done: Float[Array, ""]) -> Float[Array, ""] | float:
    start, end = weight
    return start * (end / start) ** done if start else 0.0
