"""Classifiers learn, repeat themselves, and are kept whole."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.images.classifiers import Classifier
from elsewhere.images.descent import CHUNK, TrainingError
from elsewhere.images.networks import ResidualBlock, ResNet18
from elsewhere.images.training import train_classifier

KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def data():
    """Bright squares in one of three corners, with noise."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    images = rng.integers(0, 120, (300, 10, 12, 1))
    for i, (row, column) in enumerate(((0, 0), (0, 7), (5, 3))):
        images[labels == i, row : row + 4, column : column + 4] += 100
    return images.astype(np.uint8), labels


@pytest.fixture(scope="module")
def trained(data):
    seen = []
    classifier = train_classifier(
        KEY, *data, 3, steps=90, batch=32, progress=lambda *now: seen.append(now)
    )
    return classifier, seen


def test_a_small_network_learns(trained, data):
    classifier, _ = trained
    assert classifier.accuracy(*data) > 0.97
    assert classifier.accuracy(data[0] / np.float32(255), data[1]) == classifier.accuracy(*data)


def test_progress_counts_steps_and_the_loss_falls(trained):
    _, seen = trained
    assert [now[:2] for now in seen] == [(CHUNK * i, 100) for i in range(1, 6)]
    assert seen[-1][2] < 0.5 * seen[0][2]


def test_the_same_key_gives_the_same_classifier(data):
    short = [train_classifier(jax.random.key(k), *data, 3, steps=5, batch=8) for k in (0, 0, 1)]
    first, again, other = (jax.tree.leaves(eqx.filter(c, eqx.is_array)) for c in short)
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert any((a != b).any() for a, b in zip(first, other, strict=True))


def test_more_images_than_a_batch_and_none(trained, data):
    classifier, _ = trained
    many = np.concatenate([data[0]] * 2)
    assert (classifier.predict(many) == np.tile(classifier.predict(data[0]), 2)).all()
    assert classifier.predict(data[0][:0]).shape == (0,)


def test_saved_and_loaded_it_answers_the_same(trained, data, tmp_path):
    classifier, _ = trained
    path = classifier.save(tmp_path / "digits.eqx")
    loaded = Classifier.load(path)
    assert (loaded.predict(data[0]) == classifier.predict(data[0])).all()
    again = Classifier.load(loaded.save(tmp_path / "again.eqx"))
    assert all(
        (a == b).all()
        for a, b in zip(
            jax.tree.leaves(again.network), jax.tree.leaves(loaded.network), strict=True
        )
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.eqx", "digits.eqx"]


def test_broken_files_are_refused(trained, tmp_path):
    path = trained[0].save(tmp_path / "c.eqx")
    whole = path.read_bytes()
    for content, message in (
        (b"", "saved classifier"),
        (b"junk\n" + whole, "saved classifier"),
        (whole.replace(b'"format": 1', b'"format": 9'), "format 1; got 9"),
        (whole[:-100], "all weights"),
    ):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"c\.eqx must.*{message}"):
            Classifier.load(path)


@pytest.mark.parametrize("shape", [(28, 28, 1), (64, 64, 3)])
def test_resnet_has_the_shape_and_size_of_resnet18(shape):
    network = eqx.filter_eval_shape(ResNet18, KEY, shape, 10)
    out = eqx.filter_eval_shape(lambda n, x: n(x), network, jnp.zeros((2, *shape)))
    assert out.shape == (2, 10)
    count = sum(leaf.size for leaf in jax.tree.leaves(network) if hasattr(leaf, "size"))
    skip_norms = 2 * (128 + 256 + 512)  # of the original, which normalises its skips too
    assert count == 11_181_642 - (3 - shape[-1]) * 64 * 49 - skip_norms


def test_residual_blocks_do_not_mix_images():
    block = ResidualBlock(KEY, 32, 64, 2)
    x = jnp.asarray(np.random.default_rng(0).random((3, 8, 8, 32)))
    together, alone = eqx.filter_jit(lambda b, x: (b(x), b(x[1:2])))(block, x)
    assert together.shape == (3, 4, 4, 64)
    np.testing.assert_allclose(together[1], alone[0], atol=1e-10)
    assert float(jnp.abs(together[0] - together[1]).max()) > 1e-3


def test_resnet_trains(data):
    seen = []
    train_classifier(
        KEY,
        data[0][:16, :8, :8],
        data[1][:16],
        3,
        network="resnet18",
        steps=20,
        batch=4,
        progress=lambda *now: seen.append(now),
    )
    assert np.isfinite(seen[0][2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_classes": 2}, r"labels must lie in 0\.\.1.*got 2"),
        ({"labels": np.zeros(7, int)}, "one entry per image, 300"),
        ({"steps": 0}, "positive; got 0"),
        ({"rate": -1.0}, "positive"),
        ({"images": np.zeros((300, 4, 4, 1), np.uint8)}, "8 × 8 pixels"),
    ],
)
def test_what_cannot_be_trained(data, change, message):
    given = {"images": data[0], "labels": data[1], "num_classes": 3} | change
    with pytest.raises(ValueError, match=message):
        train_classifier(KEY, **given)


def test_a_loss_that_diverges_is_said(data):
    with pytest.raises(TrainingError, match="Lower the rate"):
        train_classifier(KEY, *data, 3, steps=60, batch=8, rate=1e30)


def test_images_of_another_shape_are_refused(trained):
    with pytest.raises(ValueError, match=r"\[n, 10, 12, 1\], as in training"):
        trained[0].predict(np.zeros((2, 12, 10, 1), np.uint8))
