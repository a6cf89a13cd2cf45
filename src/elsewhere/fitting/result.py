"""What every engine returns: the set of equally good models, and what was considered on the way."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.movers import Mover

if TYPE_CHECKING:
    from elsewhere.fitting.engine import Engine


@dataclass(frozen=True)
class Candidate:
    """One model of the set, with its held-out log-likelihood in nats per row."""

    model: Mover
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
class Explanation:
    """One way in which domains may differ, evidence, and whether the answer uses it."""

    name: str
    words: str  # in plain words, with the numbers
    used: bool


@dataclass(frozen=True)
class FitResult:
    """Models within `tolerance` nats of the best, different counterfactuals each, preferred first.

    Attributes:
        candidates: the set; `candidates[0]` is the one that `principle` prefers.
        k: how many mechanisms may differ between domains; None for Dense.
        log_likelihood: held-out log-likelihood per row of the preferred model, exact unless
            `is_bound`.
        standard_error: its standard error over the held-out rows.
        tolerance: how far below the best a candidate may be, in nats per row.
        principle: in words, how the preferred candidate was chosen.
        notes: warnings in plain words; empty when there are none.
        path: for k="auto", the held-out likelihood for every k = 0..m; else empty.
        is_bound: whether the log-likelihoods are only lower bounds (an ELBO).
        engine: what fitted the models, with its options.
        explanations: what was considered, from the simplest to the richest, where an engine chose.
        simpler: the map by moments of the same rows, whose uncertainty stands in for that of
            candidates that do not know their own; where it was taken, the mechanisms instead.
        doubt: the share of the squared difference to the answer of `simpler` that is added to what
            is not known of an answer; 0 where the candidates explain all there is to explain.
        signs_known: whether rows seen in two domains told that noises keep their sign; else the
            spread holds the answers of those that do not.
    """

    candidates: tuple[Candidate, ...]
    k: int | None
    log_likelihood: float
    standard_error: float
    tolerance: float
    principle: str
    notes: tuple[str, ...] = ()
    path: tuple[PathPoint, ...] = ()
    is_bound: bool = False
    engine: "Engine | None" = None
    explanations: tuple[Explanation, ...] = ()
    simpler: Mover | None = None
    doubt: float = 0.0
    signs_known: bool = False

    @property
    def model(self) -> Mover:
        """The preferred model."""
        return self.candidates[0].model

    @property
    def preferred(self) -> tuple[Mover, ...]:
        """The models that the principle cannot tell apart: those that tie with the first."""
        best = self.candidates[0].preference
        tied = tuple(c.model for c in self.candidates if c.preference == best)
        return tied or (self.model,)  # a baseline has no likelihood to be preferred by

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        from elsewhere.fitting.in_html import result_html

        return result_html(self)

    def counterfactuals(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "c n m"]:
        """x_{d→d'} of every row under every candidate, the preferred one first."""
        answers = [c.model.move(x, d=d, d_prime=d_prime) for c in self.candidates]
        return np.stack([np.asarray(answer) for answer in answers])

    def consensus(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "n m"]:
        """The mean over the candidates of x_{d→d'}."""
        return self.counterfactuals(x, d=d, d_prime=d_prime).mean(axis=0)

    def uncertainty(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[np.ndarray, "n m"]:
        """How far x_{d→d'} may be off, beside what candidates show; 0 where that is not known."""
        known = self.knows_uncertainty
        if known is None:
            return np.zeros(np.shape(x))
        from elsewhere.fitting.uncertainty import standard_error

        return standard_error(self, known, x, d=d, d_prime=d_prime)

    @property
    def knows_uncertainty(self) -> "Uncertain | None":
        """The model that knows how far answers may be off, if any does."""
        models = (m for m in (self.model, self.simpler) if isinstance(m, Uncertain))
        return next(models, None)

    def spread(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable, mirrored: bool = True
    ) -> tuple[Float[np.ndarray, "n m"], Float[np.ndarray, "n m"]]:
        """(lowest, highest) x_{d→d'} over the candidates and `mirrored`, by row and column."""
        others = self.mirrored(d_prime) if mirrored else []
        models = [*(c.model for c in self.candidates), *others]
        answers = np.stack([np.asarray(m.move(x, d=d, d_prime=d_prime)) for m in models])
        return answers.min(axis=0), answers.max(axis=0)

    def mirrored(self, d_prime: Hashable) -> list[Mover]:
        """Every candidate with changed noises of another sign in d', as likely by any unpaired row.

        None where pairs tell the signs, or the mechanisms are not linear.
        """
        causal = [c.model for c in self.candidates if hasattr(c.model, "scms")]
        if self.signs_known or not causal:  # nor is JAX loaded for maps by moments
            return []
        from elsewhere.fitting.signs import mirrored_towards

        return [mirrored for model in causal for mirrored in mirrored_towards(model, d_prime)]


@runtime_checkable
class Uncertain(Mover, Protocol):
    """A mover that knows how far its answers may be off."""

    def standard_error(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[AnyArray, "n m"]:
        """The standard deviation of what is not known of x_{d→d'}."""
        ...
