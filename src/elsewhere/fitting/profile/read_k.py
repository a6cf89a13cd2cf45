"""k="auto" for engines that cannot find k themselves: the k of a leaky-linear fit."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from jaxtyping import PRNGKeyArray

from elsewhere.fitting.engine import K
from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.progress import Progress, part_of
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.split import Split

Numbers = Sequence[int | None]
FitNumbers = Callable[[Numbers, Progress], dict[int | None, FitResult]]


def reading_k(
    fit: FitNumbers,
    key: PRNGKeyArray,
    rows: Split,
    ks: Sequence[K],
    progress: Progress,
    leaky: Profile,
) -> dict[K, FitResult]:
    """`fit` for every k, "auto" being the k that `leaky` finds."""
    numbers: list[int | None] = [k for k in ks if k != "auto"]
    if len(numbers) == len(ks):
        return {**fit(numbers, progress)}
    found = leaky.fit(key, rows, ["auto"], part_of(progress, 0.0, 0.3, "k"))["auto"].k
    results = fit(list(dict.fromkeys([*numbers, found])), part_of(progress, 0.3, 1.0))
    note = f"k = {found} was read off a fit with a leaky mixing."
    auto = replace(results[found], notes=(*results[found].notes, note))
    return {k: auto if k == "auto" else results[k] for k in ks}
