"""What a fitted model must be able to do, in JAX or plain NumPy."""

from collections.abc import Hashable
from typing import Protocol, runtime_checkable

from jaxtyping import Float

from elsewhere.arrays import AnyArray


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
