"""How far a fit has got: the fraction done, and a line of text."""

from collections.abc import Callable, Iterator, Sequence

Progress = Callable[[float, str], None]  # the fraction done, and a line of text


def silent(fraction: float, text: str) -> None:
    """The progress that nobody asked for."""


def part_of(progress: Progress, start: float, end: float, name: str = "") -> Progress:
    """The progress of one part of the work, from `start` to `end` of the whole."""
    prefix = f"{name}: " if name else ""
    return lambda fraction, text: progress(start + (end - start) * fraction, prefix + text)


def parts_of(progress: Progress, ks: Sequence[int | None]) -> Iterator[tuple[int | None, Progress]]:
    """Every k with an equal part of the progress."""
    for i, k in enumerate(ks):
        yield k, part_of(progress, i / len(ks), (i + 1) / len(ks))
