"""A fit as its file has it: rows move without JAX, and models are built when asked for."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from elsewhere.fitting import FitResult
from elsewhere.saving import Reader, result_back
from elsewhere.saving.leaky_linear import PlainILD, plain_ild

IN_NUMPY = {"AffineMap", "CorrectedMap"}  # models that JAX has no part in


@dataclass(frozen=True)
class UnreadResult:
    """A result that was checked and is not built.

    Attributes:
        saved: the result as JSON.
        reader: of its arrays.
        doubled: whether its models compute in float64.
    """

    saved: Mapping[str, Any]
    reader: Reader
    doubled: bool

    @cached_property
    def movers(self) -> tuple[PlainILD, ...]:
        """Every candidate, in NumPy; none where one of them has no such form."""
        models = [candidate["model"] for candidate in self.saved["candidates"]]
        found = [plain_ild(model, self.reader, self.doubled) for model in models]
        plain = tuple(one for one in found if one is not None)
        return plain if len(plain) == len(found) else ()

    @property
    def preferred(self) -> tuple[PlainILD, ...]:
        """As `FitResult.preferred`."""
        preference = [c["preference"] for c in self.saved["candidates"]]
        tied = [m for m, p in zip(self.movers, preference, strict=True) if p == preference[0]]
        return tuple(tied) or self.movers[:1]

    def read(self) -> FitResult:
        """The result, its models in the precision they were fitted in."""
        with self._precision():
            return result_back(self.saved, self.reader)

    def _precision(self) -> AbstractContextManager[Any]:
        """float64 or float32 for models that JAX computes; not loaded where there are none."""
        if all({*candidate["model"]} <= IN_NUMPY for candidate in self.saved["candidates"]):
            return nullcontext()
        import jax

        return jax.enable_x64(self.doubled)
