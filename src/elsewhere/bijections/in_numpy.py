"""Bijections that are affine or leaky as maps in plain NumPy: nothing to compile."""

from collections.abc import Sequence

import flowjax.bijections as fb
from flowjax.bijections import AbstractBijection

from elsewhere.bijections.affine import as_affine
from elsewhere.bijections.leaky_relu import LeakyReLU
from elsewhere.plain_maps import InNumpy, Stage, affine_stage, folded, leaky_stage

Step = tuple[AbstractBijection, bool]  # a bijection, and whether its inverse is meant


def in_numpy(steps: Sequence[Step]) -> InNumpy | None:
    """The bijections one after the other, neighbours that are affine folded into one matrix.

    None where one of them is neither affine nor a leaky rectifier.
    """
    found = [stage for step in steps for stage in _stages(*step)]
    known = [stage for stage in found if stage is not None]
    return None if len(known) < len(found) else folded(known)


def _stages(bijection: AbstractBijection, inverted: bool) -> list[Stage | None]:
    if isinstance(bijection, fb.Invert):
        return _stages(bijection.bijection, not inverted)  # type: ignore[arg-type]
    if isinstance(bijection, fb.Chain):
        order = reversed(bijection.bijections) if inverted else bijection.bijections
        return [stage for b in order for stage in _stages(b, inverted)]  # type: ignore[arg-type]
    if isinstance(bijection, LeakyReLU):
        return [leaky_stage(bijection.slope, inverted)]
    parts = as_affine(bijection)
    return [None if parts is None else affine_stage(parts, inverted)]
