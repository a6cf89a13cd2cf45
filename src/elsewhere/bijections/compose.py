"""Composition written as in the paper: compose(g, f) is g∘f, f first."""

from collections.abc import Iterator
from itertools import groupby

from flowjax.bijections import AbstractBijection, Chain, Identity, Invert

from elsewhere.bijections.affine import Affine, as_affine


def compose(*bijections: AbstractBijection) -> AbstractBijection:
    """b_1 ∘ b_2 ∘ … ∘ b_n, the last applied first; neighbours that are affine become one matrix."""
    layers: list[AbstractBijection] = []
    for affine, run in groupby(_layers(reversed(bijections)), _is_affine):
        group = list(run)
        layers += [_folded(group)] if affine else group
    if not layers:
        return Identity(bijections[0].shape)
    return layers[0] if len(layers) == 1 else Chain(layers)


def inverse(bijection: AbstractBijection) -> AbstractBijection:
    """b⁻¹, without wrapping an inverse twice."""
    match bijection:
        case Invert():
            return bijection.bijection  # type: ignore[return-value]
        case Identity():
            return bijection
        case Chain():
            return Chain([inverse(b) for b in reversed(bijection.bijections)])  # type: ignore[arg-type]
    return Invert(bijection)


def _layers(bijections: Iterator[AbstractBijection]) -> Iterator[AbstractBijection]:
    for bijection in bijections:
        if isinstance(bijection, Chain):
            yield from _layers(iter(bijection.bijections))  # type: ignore[arg-type]
        elif not isinstance(bijection, Identity):
            yield bijection


def _is_affine(bijection: AbstractBijection) -> bool:
    return as_affine(bijection) is not None


def _folded(layers: list[AbstractBijection]) -> AbstractBijection:
    parts = as_affine(Chain(layers))
    return layers[0] if len(layers) == 1 or parts is None else Affine(*parts)
