"""One ridge regression for all pairs of domains, as strong as samples left out call for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

PENALTIES = np.geomspace(1e6, 1e-4, 41)
LOOKED_AT = 400  # samples, evenly spaced, that are left out in turn
Inputs = Float[np.ndarray, "n r"]
Outputs = Float[np.ndarray, "n o"]


@dataclass(frozen=True)
class Block:
    """Rows that lead from one domain to another.

    Attributes:
        inputs: whitened codes w, in the domain they come from.
        outputs: what the answers lack there.
    """

    inputs: Inputs
    outputs: Outputs


@dataclass(frozen=True)
class RidgeFit:
    """outputs ≈ offset + w·weights of one block, with the errors of samples left out."""

    offset: Float[np.ndarray, " o"]
    weights: Float[np.ndarray, "r o"]
    left_out: Float[np.ndarray, "_ o"]


def paired_ridge(blocks: Sequence[Block]) -> list[RidgeFit]:
    """a_k + w (B + B_k) for block k: B is shared by all pairs of domains, B_k and a_k are its own.

    Domains measure with noise, so that every answer errs towards the extremes in the same way: B.
    Coefficients have one prior variance. Ridges of all strengths are averaged, each weighted by
    (mean squared error of samples left out)^(−samples/2). A sample is left out of all blocks at
    once: where it was seen in several domains, it has the same place in each.
    """
    features = _features([block.inputs for block in blocks])
    smoother = _Smoother(
        *np.linalg.svd(features, full_matrices=False),
        np.concatenate([block.outputs for block in blocks]),
        np.concatenate([np.arange(len(block.inputs)) for block in blocks]),
    )
    kept = smoother.squares / (smoother.squares + PENALTIES[:, None])
    scores = np.array([np.mean(smoother.left_out(one)[0] ** 2) for one in kept])
    logs = -smoother.count / 2 * np.log(np.maximum(scores, 1e-300))
    chosen = np.exp(logs - logs.max())
    chosen = chosen @ kept / chosen.sum()
    errors, rows = smoother.left_out(chosen)
    return _by_block(blocks, smoother.coefficients(chosen), errors, rows)


@dataclass(frozen=True)
class _Smoother:
    """Φ = U S Vᵀ and outputs Y: any shrinkage of S gives a linear smoother of Y."""

    left: Float[np.ndarray, "n f"]
    singular: Float[np.ndarray, " f"]
    right: Float[np.ndarray, "f q"]
    outputs: Outputs
    samples: Int[np.ndarray, " n"]

    @property
    def squares(self) -> Float[np.ndarray, " f"]:
        return self.singular**2

    @property
    def count(self) -> int:
        return len(np.unique(self.samples))

    def coefficients(self, kept: Float[np.ndarray, " f"]) -> Float[np.ndarray, "q o"]:
        safe = np.maximum(self.singular, 1e-12 * max(self.singular.max(initial=0.0), 1e-300))
        return self.right.T @ ((kept / safe)[:, None] * (self.left.T @ self.outputs))

    def left_out(
        self, kept: Float[np.ndarray, " f"]
    ) -> tuple[Float[np.ndarray, "t o"], Int[np.ndarray, " t"]]:
        """(I − H_ss)⁻¹(Y − H Y)_s for each sample s, and the places of its rows."""
        errors = self.outputs - self.left @ (kept[:, None] * (self.left.T @ self.outputs))
        names = np.unique(self.samples)
        some = names[:: -(-len(names) // LOOKED_AT)]
        groups = [np.flatnonzero(self.samples == s) for s in some]
        found = [
            np.linalg.solve(
                (1 + 1e-9) * np.eye(len(g)) - (self.left[g] * kept) @ self.left[g].T, errors[g]
            )
            for g in groups
        ]
        return np.concatenate(found), np.concatenate(groups)


def _features(inputs: Sequence[Float[np.ndarray, "_ r"]]) -> Float[np.ndarray, "n q"]:
    """(w, 0, …, 1, w, …, 0): what all blocks share, then an offset and a map for each block."""
    r = inputs[0].shape[1]
    rows = []
    for k, w in enumerate(inputs):
        own = np.zeros((len(w), len(inputs), r + 1))
        own[:, k] = np.column_stack([np.ones(len(w)), w])
        rows.append(np.column_stack([w, own.reshape(len(w), -1)]))
    return np.concatenate(rows)


def _by_block(
    blocks: Sequence[Block],
    coefficients: Float[np.ndarray, "q o"],
    errors: Float[np.ndarray, "t o"],
    rows: Int[np.ndarray, " t"],
) -> list[RidgeFit]:
    r = blocks[0].inputs.shape[1]
    shared, own = coefficients[:r], coefficients[r:].reshape(len(blocks), r + 1, -1)
    ends = np.cumsum([0, *(len(block.inputs) for block in blocks)])
    return [
        RidgeFit(own[k, 0], shared + own[k, 1:], errors[(ends[k] <= rows) & (rows < ends[k + 1])])
        for k in range(len(blocks))
    ]
