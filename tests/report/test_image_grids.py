"""Grids of counterfactual images: what stands where."""

import dataclasses

import numpy as np
import pytest

from elsewhere.datasets.pictures import ImageData
from elsewhere.images.metrics import Judges
from elsewhere.report.image_grids import (
    Failure,
    failures,
    failures_figure,
    grid_figure,
    mosaic,
)

SIDE = 4


def paint(domains, classes):
    """Two numbers as two pixels: the domain at the left, the class at the right."""
    images = np.zeros((len(domains), SIDE, SIDE, 1), np.uint8)
    images[:, 0, 0, 0], images[:, 0, 1, 0] = 50 * np.asarray(domains), 50 * np.asarray(classes)
    return images


@pytest.fixture(scope="module")
def data():
    domains, classes = np.repeat([0, 1, 2], 4), np.arange(12) % 2
    return ImageData(
        paint(domains, classes),
        domains,
        ("a", "b", "a rather long name"),
        classes,
        ("even", "odd"),
        truth=lambda rows, target: paint(np.full(len(rows), target), classes[rows]),
    )


class Reads:
    """A judge that reads the pixel of the class."""

    def predict(self, images):
        return np.rint(images[:, 0, 1, 0] * 255 / 50).astype(int)


class Model:
    """Moves rightly, but from domain 0 to 1 it makes every class even."""

    def counterfactual(self, images, source, target):
        moved = np.array(images, np.float32)
        moved[:, 0, 0, 0] = 50 * target / 255
        if (source, target) == (0, 1):
            moved[:, 0, 1] = 0
        return moved

    def reconstruct(self, images):
        return images


JUDGES = Judges(Reads(), Reads())


def test_a_mosaic_has_gaps_between_images_and_wider_ones_between_groups():
    line = np.stack([np.full((2, 3, 1), value) for value in (0.0, 0.25, 0.5)])
    picture, centres = mosaic([line, line / 2], [2, 1])
    assert picture.shape == (2 + 1 + 2, 3 + 1 + 3 + 5 + 3, 3)
    columns = picture[0, :, 0].tolist()
    assert columns == [0.0] * 3 + [1.0] + [0.25] * 3 + [1.0] * 5 + [0.5] * 3
    assert (picture[2] == 1).all()
    assert picture[-1, -1, 0] == 0.25
    assert centres == [3.5, 13.5]


def test_colours_stay_and_a_fourth_channel_goes():
    line = np.zeros((1, 2, 2, 4))
    line[..., 0], line[..., 3] = 1, 0.5
    assert mosaic([line], [1])[0][0, 0].tolist() == [1, 0, 0]


def test_the_grid_shows_samples_of_all_domains_in_all_domains(data):
    answer, truth = grid_figure("model", Model(), data).axes
    labels = [text.get_text() for text in answer.get_yticklabels()]
    assert labels == ["original", "as a", "as b", "as a rather long name"]
    assert [t.get_text() for t in answer.get_xticklabels()][1] == "from b"
    shown, right = (np.asarray(ax.images[0].get_array()) for ax in (answer, truth))
    domains = shown[:: SIDE + 1, 0, 0] * 255 / 50
    np.testing.assert_allclose(domains, [0, 0, 1, 2], atol=1e-5)
    assert shown.shape == right.shape
    unlike = np.abs(shown - right).max(axis=(1, 2)) > 1e-6
    assert np.flatnonzero(unlike).tolist() == [2 * (SIDE + 1)]  # only classes, only as b


def test_without_truth_there_is_one_grid(data):
    figure = grid_figure("model", Model(), dataclasses.replace(data, truth=None))
    assert len(figure.axes) == 1


def test_a_domain_without_images_is_a_target_only(data):
    some = data.take(np.flatnonzero(data.domains != 1))
    answer, _ = grid_figure("model", Model(), some).axes
    assert [t.get_text() for t in answer.get_xticklabels()] == [
        "from a",
        "from a rather long name",
    ]
    assert len(answer.get_yticklabels()) == 4


def test_failures_are_the_classes_that_changed(data):
    found, share = failures(Model(), data, JUDGES, 10)
    assert found == [Failure(1, 1, 0), Failure(3, 1, 0)]
    assert share == 2 / 24
    assert failures(Model(), data, JUDGES, 1)[0] == found[:1]


def test_the_picture_of_failures_names_them(data):
    (ax,) = failures_figure("model", Model(), data, JUDGES).axes
    assert ax.get_title("left") == "model: class not preserved in 8.3% of moves"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a\n→ b\nodd\nas even"] * 2
    assert [t.get_text() for t in ax.get_yticklabels()] == ["original", "answer", "truth"]


def test_no_failures_is_a_picture_too(data):
    class Right(Model):
        def counterfactual(self, images, source, target):
            return super().counterfactual(images, 2, target)

    (ax,) = failures_figure("model", Right(), data, JUDGES).axes
    assert ax.get_title("left").endswith("none to show")
