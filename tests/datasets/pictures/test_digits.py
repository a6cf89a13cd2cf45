"""RMNIST and CRMNIST: angles, colours, replication, and the truth."""

import jax
import numpy as np
import pytest

from elsewhere.datasets.pictures import coloured_rotated_mnist, rotated_mnist
from elsewhere.datasets.pictures.coloured import COLOURS, RGB, colour_all
from elsewhere.datasets.pictures.mnist import LabelledDigits, load_mnist
from elsewhere.datasets.pictures.rotated import ANGLES, rotate

KEY = jax.random.key(0)


@pytest.fixture(scope="module")
def rotated(mnist_folder):
    return rotated_mnist(KEY, directory=mnist_folder)


@pytest.fixture(scope="module")
def coloured(mnist_folder):
    return coloured_rotated_mnist(KEY, mnist_folder)


def centre_of_mass(image):
    y, x = np.mgrid[: image.shape[0], : image.shape[1]] - (image.shape[0] - 1) / 2
    return np.array([(x * image).sum(), -(y * image).sum()]) / image.sum()  # y upwards


@pytest.mark.parametrize("degrees", [15.0, 30.0, 60.0, 90.0, 135.0])
def test_rotation_is_anticlockwise_about_the_centre(digits, degrees):
    angle = np.radians(degrees)
    matrix = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    before = centre_of_mass(digits[0][3].astype(float))
    after = centre_of_mass(rotate(digits[0][3:4], degrees)[0].astype(float))
    np.testing.assert_allclose(after, matrix @ before, atol=0.1)


def test_quarter_turns_are_exact(digits):
    images = digits[0][:5]
    assert (rotate(images, 0.0) == images).all()
    assert (rotate(rotate(images, 90.0), 270.0) == images).all()
    assert (rotate(images, -90.0) == rotate(images, 270.0)).all()


def test_there_and_back_is_nearly_the_same(digits):
    images = digits[0][:5]
    back = rotate(rotate(images, 30.0), -30.0).astype(int)
    assert np.abs(back - images)[:, 3:9, 3:9].mean() < 4


def test_every_image_in_every_domain(rotated, digits):
    assert [len(part) for part in (rotated.train, rotated.valid, rotated.test)] == [540, 60, 200]
    assert rotated.test.domain_names == ("0°", "15°", "30°", "45°", "60°")
    assert rotated.test.images.shape == (200, 12, 12, 1)
    for d, angle in enumerate(ANGLES):
        rows = rotated.test.rows_of(d)
        assert (rotated.test.images[rows, ..., 0] == rotate(digits[2], angle)).all()
        assert (rotated.test.classes[rows] == digits[3]).all()


def test_training_and_validation_share_no_image(rotated, digits):
    seen = {image.tobytes() for image in rotated.train.images}
    assert not seen & {image.tobytes() for image in rotated.valid.images}


@pytest.mark.parametrize("name", ["rotated", "coloured"])
def test_the_truth_in_its_own_domain_is_the_image(name, request):
    data = request.getfixturevalue(name).test
    for d in range(data.num_domains):
        rows = data.rows_of(d)
        assert (data.counterfactual(rows, d) == data.images[rows]).all()


def test_the_true_counterfactual_is_the_same_image_turned(rotated):
    data = rotated.test
    rows = data.rows_of(1)[:6]
    twins = [
        np.flatnonzero((data.factors["original"] == o) & (data.domains == 4))[0]
        for o in data.factors["original"][rows]
    ]
    assert (data.counterfactual(rows, "60°") == data.images[twins]).all()


def test_without_replication_no_image_is_seen_twice(mnist_folder):
    data = rotated_mnist(KEY, directory=mnist_folder, replicate=False).train
    assert len(data) == 108
    assert sorted(data.factors["original"].tolist()) == list(range(108))
    assert np.bincount(data.domains).tolist() == [22, 22, 22, 21, 21]


def test_fewer_digits_and_the_same_key(mnist_folder):
    def some(seed):
        key = jax.random.key(seed)
        return rotated_mnist(key, directory=mnist_folder, digits=30, angles=(0.0, 45.0))

    first, again, other = some(0), some(0), some(1)
    assert [len(first.train), len(first.valid), len(first.test)] == [54, 6, 10]
    assert (first.train.images == again.train.images).all()
    assert (first.train.images != other.train.images).any()


def test_coloured_digits_are_0_1_2_at_0_and_90_degrees(coloured, mnist_folder):
    _, test = load_mnist(directory=mnist_folder)
    data = coloured.test
    assert set(data.classes) == {0, 1, 2}
    assert data.domain_names == ("0°", "90°")
    assert len(data) == 2 * 12
    kept = test.images[test.labels < 3]
    grey = data.images.max(axis=-1)
    assert (grey[data.rows_of(0)] == kept).all()
    assert (grey[data.rows_of(1)] == np.rot90(kept, 1, (1, 2))).all()


@pytest.fixture(scope="module")
def many():
    n = 3_000
    base = LabelledDigits(np.full((n, 1, 1), 255, np.uint8), np.arange(n) % 3)
    return colour_all(np.random.default_rng(0), base)


def test_colours_follow_class_and_domain_half_the_time(many):
    for y in range(3):
        for d in range(2):
            colours = many.factors["colour"][(many.classes == y) & (many.domains == d)]
            shares = np.bincount(colours, minlength=6) / len(colours)
            expected = np.full(6, 1 / 12) + 0.5 * (np.arange(6) == 2 * y + d)
            np.testing.assert_allclose(shares, expected, atol=0.05)


def test_pixels_have_the_colour(many):
    assert (many.images[:, 0, 0] == RGB[many.factors["colour"]]).all()
    assert COLOURS[0] == "red"
    assert RGB[0].tolist() == [255, 0, 0]


def test_the_true_colour_keeps_its_noise(many):
    """Where the colour follows, it goes to the other domain's; where it was drawn, it stays."""
    rows = many.rows_of(0)
    before = many.factors["colour"][rows]
    after = np.array(
        [
            np.flatnonzero((rgb == RGB).all(axis=1))[0]
            for rgb in many.counterfactual(rows, 1)[:, 0, 0]
        ]
    )
    moved = before != after
    assert (before[moved] == 2 * many.classes[rows][moved]).all()
    assert (after[moved] == before[moved] + 1).all()
    assert 0.45 < moved.mean() < 0.55
