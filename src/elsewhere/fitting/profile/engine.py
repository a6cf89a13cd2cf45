"""The exact engine and its options; what it fits with, which loads JAX, is in `estimate`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final, get_args

from elsewhere.arrays import PRNGKeyArray
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Named, Split, check_fittable

if TYPE_CHECKING:
    from elsewhere.fitting.profile.estimate import Begun

Mixing = Literal["leaky", "linear"]


@final
@dataclass(frozen=True)
class Profile(Engine):
    """argmax Σ_d mean log p_d(x) over x = A LeakyReLU(z) + b and linear SCMs differing in k rows.

    Given the axes of z, every mechanism has its best value in closed form, so only the axes are
    searched for, in whitened coordinates; the models returned are in the data's own units. All
    domains weigh the same, whatever their sizes. The models' intervened mechanisms are where the
    best topological order has them: `elsewhere.theory.canonical_form` moves them last. "auto" finds
    the smallest k that explains the held-out rows as well as Dense.

    Attributes:
        mixing: "leaky", or "linear" for x = A z + b, where the kinks do not fix the axes.
        slope: of LeakyReLU where z < 0.
        options: how hard to search.
    """

    mixing: Mixing = "leaky"
    slope: float = 0.5
    options: Options = DEFAULT

    def __post_init__(self) -> None:
        _check_choices(self.mixing, self.slope)

    def check(self, tables: Named) -> None:
        """m + 2 rows per domain, in which every column varies and none determines another."""
        check_fittable(tables)

    def row_key(self, key: PRNGKeyArray, ks: Sequence[K]) -> PRNGKeyArray:
        """A key of its own, apart from that of the search."""
        import jax

        return jax.random.split(key)[1]

    def for_pairs(self) -> "Profile":
        """Itself."""
        return self

    def fit(
        self, key: PRNGKeyArray, rows: Split, ks: Sequence[K], progress: Progress
    ) -> dict[K, FitResult]:
        """One result for every k, the same as alone: leaky axes are searched for only once."""
        begun = self.begin(key, rows, ks, progress)
        return {k: begun.solve(k) for k in ks}

    def begin(
        self,
        key: PRNGKeyArray,
        rows: Split,
        ks: Sequence[K],
        progress: Progress,
        *,
        learn_slope: bool = False,
    ) -> "Begun":
        """The search for the axes, as far as it does not depend on k.

        With `learn_slope`, that of k="auto" starts with `slope` and finds the one that suits.
        """
        from elsewhere.fitting.profile.estimate import begin

        return begin(self, key, rows, ks, progress, learn_slope)


def _check_choices(mixing: str, slope: float) -> None:
    if mixing not in get_args(Mixing):
        raise ValueError(f"mixing must be one of {get_args(Mixing)}; got {mixing!r}.")
    if mixing == "leaky" and slope == 1:
        raise ValueError("slope must not be 1, which leaves no kink; use mixing='linear' for that.")
