"""The image metrics on models whose scores are known."""

import dataclasses

import jax
import numpy as np
import pytest

from elsewhere.datasets.pictures import ImageData, as_floats
from elsewhere.images.metrics import ImageScores, Judges, image_scores
from elsewhere.images.training import train_classifier

SIDE = 8


def paint(domains, classes):
    """The domain is a bar at the left, the class a bar at the right."""
    images = np.zeros((len(domains), SIDE, SIDE, 1), np.uint8)
    for i, (d, y) in enumerate(zip(domains, classes, strict=True)):
        images[i, 2 * d : 2 * d + 2, :3] = 255
        images[i, 4 * y : 4 * y + 4, 6:] = 255
    return images


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    domains, classes = np.repeat(np.arange(3), [20, 30, 40]), rng.integers(0, 2, 90)
    return ImageData(
        paint(domains, classes),
        domains,
        ("a", "b", "c"),
        classes,
        ("up", "down"),
        truth=lambda rows, target: paint(np.full(len(rows), target), classes[rows]),
    )


@pytest.fixture(scope="module")
def judges(data):
    keys = jax.random.split(jax.random.key(0))
    options = {"steps": 100, "batch": 32}
    judges = Judges(
        train_classifier(keys[0], data.images, data.classes, 2, **options),
        train_classifier(keys[1], data.images, data.domains, 3, **options),
    )
    assert judges.of_class.accuracy(data.images, data.classes) == 1
    assert judges.of_domain.accuracy(data.images, data.domains) == 1
    return judges


class Answers:
    """A model made of two functions."""

    def __init__(self, move, reconstruct=lambda x: x):
        self.counterfactual, self.reconstruct = move, reconstruct


def right(x, source, target):
    classes = (x[:, 7, 7, 0] > 0.5).astype(int)
    return as_floats(paint(np.full(len(x), target), classes))


def flipped(x, source, target):
    """The right domain, but the other class, unless the domain stays."""
    if source == target:
        return x
    classes = (x[:, 7, 7, 0] < 0.5).astype(int)
    return as_floats(paint(np.full(len(x), target), classes))


def test_the_truth_scores_full_marks(data, judges):
    scores = image_scores(Answers(right), data, judges)
    others = "minimality", "sharpness"
    shares = [v for k, v in scores.to_dict().items() if "error" not in k and k not in others]
    assert shares == [1.0] * 8
    assert scores.pixel_error == 0
    assert scores.minimality == 0
    assert scores.pixel_error_unmoved == 12  # a bar of six goes, another comes
    assert scores.sharpness == pytest.approx(1, abs=0.1)
    faint = image_scores(Answers(lambda *asked: 0.5 * right(*asked)), data, judges)
    assert faint.sharpness == pytest.approx(0.25 * scores.sharpness)


def test_doing_nothing_is_not_effective(data, judges):
    scores = image_scores(Answers(lambda x, source, target: x), data, judges)
    assert scores.effectiveness == 0
    assert scores.composition == scores.reversibility == scores.preservation == 1
    assert scores.pixel_error == scores.pixel_error_unmoved == 12
    assert scores.minimality == 0


def test_another_class_is_not_preserved_but_twice_is_the_first(data, judges):
    scores = image_scores(Answers(flipped), data, judges)
    assert scores.preservation == 0
    assert scores.reversibility == 1
    assert scores.effectiveness == scores.composition == 1
    assert scores.pixel_error == 16  # the class's bar of eight is in the wrong place
    assert scores.minimality == pytest.approx(16 / 12)


def test_pairs_count_by_their_images(data, judges):
    """Only moves to c reach it: the 20 images of a and the 30 of b, of 2 · 90 moves."""
    scores = image_scores(Answers(lambda x, source, target: right(x, source, 2)), data, judges)
    assert scores.effectiveness == pytest.approx(50 / 180)


def test_reconstructions_are_judged_apart(data, judges):
    scores = image_scores(Answers(right, lambda x: right(x, 0, 1)), data, judges)
    assert scores.domain_accuracy_reconstructed == pytest.approx(30 / 90)
    assert scores.class_accuracy_reconstructed == 1
    assert scores.domain_accuracy == 1


def test_without_truth_there_is_no_pixel_error(data, judges):
    scores = image_scores(Answers(right), dataclasses.replace(data, truth=None), judges)
    assert isinstance(scores, ImageScores)
    assert scores.pixel_error is scores.pixel_error_unmoved is scores.minimality is None
    assert scores.effectiveness == 1


def test_answers_beyond_0_and_1_are_cut(data, judges):
    scores = image_scores(Answers(lambda *a: 3 * right(*a) - 1), data, judges)
    assert scores.pixel_error == 0


@pytest.mark.parametrize("wrong", [lambda x, *_: x[:, 1:], lambda x, *_: x * np.nan])
def test_answers_that_are_no_images(data, judges, wrong):
    with pytest.raises(ValueError, match=r"model\.counterfactual must give finite images"):
        image_scores(Answers(wrong), data, judges)
    with pytest.raises(ValueError, match=r"model\.reconstruct must give finite images"):
        image_scores(Answers(right, wrong), data, judges)


def test_classes_are_needed(data, judges):
    with pytest.raises(ValueError, match="must have classes"):
        image_scores(Answers(right), dataclasses.replace(data, classes=None), judges)
