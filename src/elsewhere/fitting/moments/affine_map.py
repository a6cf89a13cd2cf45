"""The model: every domain has its own offsets, scales and turns of codes; all else is shared."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.errors import DomainError
from elsewhere.fitting.moments.coded_covariance import CodedCovariance
from elsewhere.fitting.moments.effects import Effects
from elsewhere.fitting.moments.left_open import forms_left_open, variance_left_open
from elsewhere.fitting.moments.turns import exponential

Rows = Float[np.ndarray, "n p"]
FOLDED = 64  # columns up to which a move is one matrix


@final
@dataclass(frozen=True)
class AffineMap:
    """x = c + s e^{L_d} (A_d u + δ_d): what differs between domains is δ_d, L_d and A_d = exp G_d.

    An ILD whose noise u is shared, of any distribution: g is the identity and f_d the map above.

    In wide tables only some codes of u are told from noise. What they leave out of u may belong to
    the sample, and then moves along, or to the measurement, and is then drawn anew in another
    domain, with mean 0. Unpaired rows cannot tell; `carried` is the share that moves along.

    Attributes:
        domains: their names.
        centre: c.
        unit: s, the deviation within domains.
        offsets: δ, with what is not known of them.
        scales: L, likewise.
        codes: orthonormal directions V of u, whose coordinates A_d turns.
        turns: G, in these coordinates.
        carried: the share of u outside the codes that moves along.
        code_variances: of u along each code, without noise in a wide table.
        reliability: the share of each code that is more than noise.
        own: the variance of u that the codes leave out, by column.
    """

    domains: tuple[Hashable, ...]
    centre: Float[np.ndarray, " p"]
    unit: Float[np.ndarray, " p"]
    offsets: Effects
    scales: Effects
    codes: Float[np.ndarray, "p r"]
    turns: Effects
    carried: float
    code_variances: Float[np.ndarray, " r"]
    reliability: Float[np.ndarray, " r"]
    own: Float[np.ndarray, " p"]

    def move(self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable) -> Rows:
        """x_{d→d'}: u from d, and forward in d'; x itself where d = d' or nothing differs."""
        i, j = self.position(d), self.position(d_prime)
        if i == j or self.alike:
            return np.asarray(x, float)
        away = np.asarray(x, float) - self.centre
        if self.m <= FOLDED:
            matrix, offset = self._folded(i, j)
            return away @ matrix + offset
        return self.centre + self._moved(away, i, j)

    def standard_error(self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable) -> Rows:
        """The posterior standard deviation of x_{d→d'}, entry by entry, to first order."""
        return np.sqrt(np.add(*self.variances_of(x, d=d, d_prime=d_prime)))

    def variances_of(
        self, x: Float[AnyArray, "n p"], *, d: Hashable, d_prime: Hashable
    ) -> tuple[Rows, Rows]:
        """Of x_{d→d'}: because rows are few, and because covariances do not tell all of a turn."""
        i, j = self.position(d), self.position(d_prime)
        if i == j:
            return np.zeros(np.shape(x)), np.zeros(np.shape(x))
        u = self._shared(np.asarray(x, float), i)
        known = self._known(u)
        away, coded = self._turned(known, j) + self.offsets.means[j], known @ self.codes
        few = (
            variance_of_difference(self.offsets, i, j)
            + variance_of_difference(self.scales, i, j) * away**2
            + coded**2 @ variance_of_difference(self.turns, i, j) @ (self.codes**2).T
            + self._of_what_is_left(u)
        )
        unit = self._stretch(j) ** 2
        return unit * few, unit * (self._left_open(coded, i, j) @ (self.codes**2).T)

    @property
    def m(self) -> int:
        """The dimension of the noise: one number for each column."""
        return len(self.unit)

    def noise(self, x: Float[AnyArray, "n p"], *, d: Hashable) -> Rows:
        """ε = Σ^{-½} u: the noise of row x, standard normal if u is normal with covariance Σ."""
        return self._covariance.whitened(self._shared(np.asarray(x, float), self.position(d)))

    def made(self, eps: Float[AnyArray, "n p"], *, d: Hashable) -> Rows:
        """The rows that the noise ε makes in domain d."""
        i, u = self.position(d), self._covariance.coloured(np.asarray(eps, float))
        return self.centre + self._stretch(i) * (self._turned(u, i) + self.offsets.means[i])

    def log_density(self, x: Float[AnyArray, "n p"], *, d: Hashable) -> Float[np.ndarray, " n"]:
        """log p_d(x) if u is normal."""
        i = self.position(d)
        volume = np.log(self._stretch(i)).sum() + np.trace(self.turns.means[i])
        eps = self.noise(x, d=d)
        constant = 0.5 * self.m * np.log(2 * np.pi) + self._covariance.half_log_det
        return -0.5 * (eps**2).sum(axis=1) - constant - volume

    def shared(self, x: Float[AnyArray, "n p"], *, d: Hashable) -> Rows:
        """u, what all domains share, of rows of domain d."""
        return self._shared(np.asarray(x, float), self.position(d))

    def stretch(self, d: Hashable) -> Float[np.ndarray, " p"]:
        """s e^{L_d}, the unit of each column in domain d."""
        return self._stretch(self.position(d))

    def position(self, d: Hashable) -> int:
        """The place of a domain."""
        if d not in self.domains:
            raise DomainError(f"domain must be one of {list(self.domains)}; got {d!r}.")
        return self.domains.index(d)

    @cached_property
    def alike(self) -> bool:
        """Whether no domain differs from another, so that every row stays as it is, to the bit."""
        effects = (self.offsets, self.scales, self.turns)
        return self.carried == 1 and not any(effect.means.any() for effect in effects)

    def _moved(self, away: Rows, i: int, j: int) -> Rows:
        """x_{d→d'} − c of x − c."""
        u = self._known(self._turned(away / self._stretch(i) - self.offsets.means[i], i, -1))
        return self._stretch(j) * (self._turned(u, j) + self.offsets.means[j])

    def _folded(self, i: int, j: int) -> tuple[Rows, Float[np.ndarray, " p"]]:
        """(M, b) with x_{d→d'} = (x − c) M + b, computed once for each pair of domains."""
        if (i, j) not in self._matrices:
            least = self._moved(np.zeros((1, self.m)), i, j)
            linear = self._moved(np.eye(self.m), i, j) - least
            self._matrices[i, j] = linear, self.centre + least[0]
        return self._matrices[i, j]

    @cached_property
    def _matrices(self) -> dict[tuple[int, int], tuple[Rows, Float[np.ndarray, " p"]]]:
        return {}

    def _stretch(self, i: int) -> Float[np.ndarray, " p"]:
        return self.unit * np.exp(self.scales.means[i])

    def _shared(self, x: Rows, i: int) -> Rows:
        """u = A_d⁻¹((x − c)/(s e^{L_d}) − δ_d)."""
        return self._turned((x - self.centre) / self._stretch(i) - self.offsets.means[i], i, -1)

    def _turned(self, u: Rows, i: int, sign: int = 1) -> Rows:
        coded = u @ self.codes
        return u + (coded @ self._stretches[sign][i] - coded) @ self.codes.T

    def _known(self, u: Rows) -> Rows:
        """What of u moves along: all of it where the table is narrow."""
        if self.carried == 1:
            return u
        return self.carried * u + (1 - self.carried) * (
            (u @ self.codes * self.reliability) @ self.codes.T
        )

    def _of_what_is_left(self, u: Rows) -> Rows:
        """Var(ρ r), ρ = 1 with the probability `carried`, else 0: all of r moves, or none."""
        if self.carried == 1:
            return np.zeros_like(u)
        left = u - (u @ self.codes * self.reliability) @ self.codes.T
        return self.carried * (1 - self.carried) * left**2

    def _left_open(self, coded: Rows, i: int, j: int) -> Rows:
        """Of the codes, where turns are used."""
        if not self.turns.supported:
            return np.zeros_like(coded)
        scales = np.einsum("pa,dp,pb->dab", self.codes, self.scales.means, self.codes)
        forms = forms_left_open(scales, self.turns.means, self.code_variances, i, j)
        return variance_left_open(coded, forms)

    @cached_property
    def _covariance(self) -> CodedCovariance:
        """Of u: what the codes explain, and the rest of each column on its own."""
        return CodedCovariance(self.codes, self.code_variances, self.own)

    @cached_property
    def _stretches(self) -> dict[int, Float[np.ndarray, "D r r"]]:
        """A_d and its inverse."""
        return {s: np.stack([exponential(s * G) for G in self.turns.means]) for s in (1, -1)}


def variance_of_difference(effects: Effects, i: int, j: int) -> Float[np.ndarray, "*s"]:
    """Var(β_j − β_i) = Σ_a (U_aj − U_ai)² Var(b_a)."""
    weights = (effects.weights[:, j] - effects.weights[:, i]) ** 2
    return np.tensordot(weights, effects.variances, axes=1)
