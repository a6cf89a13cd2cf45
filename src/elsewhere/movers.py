"""What a fitted model must be able to do, in JAX or plain NumPy."""

from collections.abc import Hashable
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from elsewhere.arrays import AnyArray
from elsewhere.plain_maps import InNumpy


@runtime_checkable
class Mover(Protocol):
    """x ↦ x_{d→d'}: all that a counterfactual needs of a fitted model, in JAX or plain NumPy."""

    @property
    def domains(self) -> tuple[Hashable, ...]:
        """The domains' names."""
        ...

    def move(
        self, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
    ) -> Float[AnyArray, "n m"]:
        """x_{d→d'} of every row."""
        ...


@runtime_checkable
class PlainMover(Mover, Protocol):
    """A mover that JAX computes, and that NumPy may, in less time than JAX compiles in."""

    def plain_move(self, *, d: Hashable, d_prime: Hashable) -> InNumpy | None:
        """x ↦ x_{d→d'} of rows in NumPy; None where it has no such form."""
        ...


def moved_rows(
    model: Mover, x: Float[AnyArray, "n m"], *, d: Hashable, d_prime: Hashable
) -> Float[np.ndarray, "n m"]:
    """x_{d→d'} of every row, in NumPy where the model can."""
    plain = model.plain_move(d=d, d_prime=d_prime) if isinstance(model, PlainMover) else None
    if plain is not None:
        return plain(np.asarray(x))
    return np.asarray(model.move(x, d=d, d_prime=d_prime), float)


@runtime_checkable
class Density(Mover, Protocol):
    """A mover that also knows p_d and the noise behind each row, as the `ILD` does."""

    @property
    def m(self) -> int:
        """The dimension of the noise."""
        ...

    def log_density(self, x: Float[AnyArray, "n m"], *, d: Hashable) -> Float[AnyArray, " n"]:
        """log p_d(x) of every row."""
        ...

    def noise(self, x: Float[AnyArray, "n m"], *, d: Hashable) -> Float[AnyArray, "n m"]:
        """ε, the noise that made each row in domain d."""
        ...

    def made(self, eps: Float[AnyArray, "n m"], *, d: Hashable) -> Float[AnyArray, "n m"]:
        """The rows that the noise ε makes in domain d."""
        ...
