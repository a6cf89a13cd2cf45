"""Optimisers of networks for images: from gradients to steps of unit rate."""

import jax
import optax
from jaxtyping import PyTree
from optax.contrib import MuonDimensionNumbers, muon

ADAM = optax.scale_by_adam()
PAPER_ADAM = optax.scale_by_adam(b1=0.5)


def _matrices(parameters: PyTree) -> PyTree:
    """Which axes make each array a matrix: inputs × outputs; none of a vector.

    Dense weights are [out, in], those of convolutions [k, k, in, out].
    """
    axes = {2: MuonDimensionNumbers((1,), (0,)), 4: MuonDimensionNumbers((0, 1, 2), (3,))}
    return jax.tree.map(lambda array: axes.get(array.ndim), parameters)


# Every matrix moves by an orthogonal matrix, U Vᵀ of its mean gradient U S Vᵀ, with entries of
# 0.2 on average as Adam's have; all else by Adam. `benchmarks/optimisers.py` compares both.
MUON = optax.chain(
    muon(1.0, consistent_rms=0.2, muon_weight_dimension_numbers=_matrices), optax.scale(-1)
)
OPTIMISERS = {"adam": ADAM, "muon": MUON}
