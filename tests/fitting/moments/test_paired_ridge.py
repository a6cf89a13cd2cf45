"""One ridge for all pairs of domains."""

import numpy as np
import pytest

from elsewhere.fitting.moments.paired_ridge import PENALTIES, Block, paired_ridge

pytestmark = pytest.mark.fast


def blocks(seed, n=12, noise=0.1, own=0.0):
    """Two blocks whose maps have a part in common and one of their own."""
    rng = np.random.default_rng(seed)
    shared, inputs = rng.normal(size=(3, 2)), rng.normal(size=(2, n, 3))
    maps = shared + own * rng.normal(size=(2, 3, 2))
    outputs = inputs @ maps + np.array([1.0, -1.0])[:, None, None]
    outputs = outputs + noise * rng.normal(size=outputs.shape)
    return [Block(w, y) for w, y in zip(inputs, outputs, strict=True)], maps


def test_finds_offsets_and_maps():
    given, maps = blocks(0, n=40, noise=0.01, own=0.5)
    for one, true, offset in zip(paired_ridge(given), maps, (1, -1), strict=True):
        np.testing.assert_allclose(one.weights, true, atol=0.05)
        np.testing.assert_allclose(one.offset, offset, atol=0.05)


def test_what_pairs_of_domains_share_is_learnt_together():
    def error(joint):
        total = 0.0
        for seed in range(10):
            given, maps = blocks(seed, n=6, noise=0.5)
            found = paired_ridge(given) if joint else [paired_ridge([one])[0] for one in given]
            total += sum(((f.weights - m) ** 2).sum() for f, m in zip(found, maps, strict=True))
        return total

    assert error(joint=True) < 0.9 * error(joint=False)


def test_noise_alone_changes_next_to_nothing():
    rng = np.random.default_rng(1)
    given = [Block(rng.normal(size=(20, 3)), rng.normal(size=(20, 4))) for _ in range(2)]
    moved = [given[0].inputs @ one.weights + one.offset for one in paired_ridge(given)]
    assert np.square(moved).mean() < 0.1


def test_errors_of_samples_left_out_are_those_of_fits_without_them():
    given, _ = blocks(2, n=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("elsewhere.fitting.moments.paired_ridge.PENALTIES", np.array([0.3]))
        quick = paired_ridge(given)
        for i in range(5):
            others = [Block(np.delete(b.inputs, i, 0), np.delete(b.outputs, i, 0)) for b in given]
            for block, fitted, seen in zip(given, paired_ridge(others), quick, strict=True):
                answer = block.inputs[i] @ fitted.weights + fitted.offset
                np.testing.assert_allclose(block.outputs[i] - answer, seen.left_out[i], rtol=1e-5)
    assert len(PENALTIES) > 1
