"""What a fit returns: not one winner, but the set of equally good models."""

from collections.abc import Hashable
from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Float

from elsewhere.model import ILD
from elsewhere.queries import move_rows


class FitError(ValueError):
    """A fit that cannot be had: the message says what in the data, or which restart, is why."""


@dataclass(frozen=True)
class Candidate:
    """One model of the set, with its exact held-out log-likelihood in nats per row."""

    model: ILD
    log_likelihood: float
    preference: float  # what the stated principle maximises, comparable within one result
    description: str  # which mechanisms differ, in which order


@dataclass(frozen=True)
class PathPoint:
    """What k changed mechanisms explain: held-out nats per row, and how far below Dense."""

    k: int
    log_likelihood: float
    below_dense: float  # mean paired difference on held-out rows
    standard_error: float  # of that difference
    score_gain: float  # log-likelihood − parameters·log(n)/(2n) per row fitted, over that of Dense


@dataclass(frozen=True)
class FitResult:
    """Models within `tolerance` nats of the best, different counterfactuals each, preferred first.

    Attributes:
        candidates: the set; `candidates[0]` is the one that `principle` prefers.
        k: how many mechanisms may differ between domains; None for Dense.
        log_likelihood: exact held-out log-likelihood per row of the preferred model.
        standard_error: its standard error over the held-out rows.
        tolerance: how far below the best a candidate may be, in nats per row.
        principle: in words, how the preferred candidate was chosen.
        notes: warnings in plain words; empty when nothing is to be said.
        path: for k="auto", the held-out likelihood for every k = 0..m; else empty.
    """

    candidates: tuple[Candidate, ...]
    k: int | None
    log_likelihood: float
    standard_error: float
    tolerance: float
    principle: str
    notes: tuple[str, ...] = ()
    path: tuple[PathPoint, ...] = ()

    @property
    def model(self) -> ILD:
        """The preferred model."""
        return self.candidates[0].model

    def counterfactuals(
        self, x: Float[Array, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[Array, "c n m"]:
        """x_{d→d'} of every row under every candidate, the preferred one first."""
        return jnp.stack([move_rows(c.model, x, d=d, d_prime=d_prime) for c in self.candidates])

    def consensus(
        self, x: Float[Array, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[Array, "n m"]:
        """The mean over the candidates of x_{d→d'}."""
        return self.counterfactuals(x, d=d, d_prime=d_prime).mean(axis=0)

    def spread(
        self, x: Float[Array, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
        """(lowest, highest) x_{d→d'} over the candidates, by row and column."""
        answers = self.counterfactuals(x, d=d, d_prime=d_prime)
        return answers.min(axis=0), answers.max(axis=0)
