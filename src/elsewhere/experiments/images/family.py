"""The family of experiments on images: from the options of the command to a plan."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from rich.table import Table

from elsewhere.experiments.family import Family, seed_range
from elsewhere.experiments.images import reproduce
from elsewhere.experiments.images.methods import ImagePlan
from elsewhere.experiments.images.settings import CURVES, IMAGE_EXPERIMENTS
from elsewhere.images.classifiers import NetworkName


class Images(Family):
    """The paper's experiments on images."""

    def names(self) -> list[str]:
        """I1 to I5, and I7."""
        return [*IMAGE_EXPERIMENTS, CURVES]

    def listing(self) -> Table:
        """The image experiments that can be reproduced."""
        return reproduce.list_images()

    def run(
        self, names: Sequence[str], out: Path, asked: Mapping[str, Any], command: str
    ) -> Iterable[Path]:
        """A folder per experiment."""
        seeds = seed_range(asked["seeds"] or ("1" if asked["quick"] else "3"))
        network, models = _network(asked["network"]), _words(asked["models"])
        plan = ImagePlan(
            seeds,
            _ks(asked["ks"]),
            asked["recipe"],
            network,
            asked["jobs"],
            models,
            _counts(asked["pairs"]),
        )
        where = {"directory": asked["data_dir"], "quick": asked["quick"], "draw": asked["draw"]}
        return reproduce.reproduce_images(list(names), out, plan, command, **where)


def _network(name: str) -> NetworkName:
    if name not in get_args(NetworkName):
        raise ValueError(f"--network must be small or resnet18; got {name!r}.")
    return name  # type: ignore[return-value]


def _ks(text: str) -> tuple[int | None, ...]:
    """Numbers, and None for m, the dimension."""
    if wrong := [part for part in _words(text) if part != "m" and not part.isdigit()]:
        raise ValueError(f"--ks must be numbers or m, as 1,2,3,5,m; got {wrong[0]!r}.")
    return tuple(None if part == "m" else int(part) for part in _words(text))


def _counts(text: str) -> tuple[int, ...]:
    if wrong := [part for part in _words(text) if not part.isdigit()]:
        raise ValueError(f"--pairs must be numbers, as 10,50,200; got {wrong[0]!r}.")
    return tuple(map(int, _words(text)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
