"""Images of the same name in the folders of two domains show the same thing."""

import numpy as np
import pytest
from PIL import Image

from elsewhere.cli import image_kind
from elsewhere.cli.paired_folders import read_image_pairs

pytestmark = pytest.mark.fast


def save(path, grey):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8), grey, np.uint8)).save(path)


@pytest.fixture
def twice(tmp_path):
    for d, grey in (("new", 10), ("old", 20), ("third", 30)):
        for i in range(3 if d == "new" else 2):
            save(tmp_path / d / f"{i}.png", grey + i)
    save(tmp_path / "third" / "9.png", 0)
    return tmp_path


def test_every_two_domains_have_the_names_that_both_have(twice):
    found = read_image_pairs(str(twice), None)
    assert [(d, e) for d, e, *_ in found] == [("new", "old"), ("new", "third"), ("old", "third")]
    for _, _, images, others in found:
        assert images.shape == others.shape == (2, 8, 8, 1)
    np.testing.assert_array_equal(found[0][2][:, 0, 0, 0], [10, 11])
    np.testing.assert_array_equal(found[0][3][:, 0, 0, 0], [20, 21])
    assert read_image_pairs(str(twice), 16)[0][2].shape == (2, 16, 16, 1)


def test_no_name_in_common(run, tmp_path):
    for i, d in enumerate(("new", "old")):
        save(tmp_path / d / f"{i}.png", 1)
    answer = run("fit", tmp_path, "--pairs", tmp_path, "--out", tmp_path / "a.model")
    assert answer.code == 1
    assert "must have files of the same name in the folders of two domains" in answer.err


def test_the_command_gives_them_to_the_fit(run, twice, monkeypatch):
    given = {}

    def fit(self, images, *, pairs, progress):
        given.update(pairs=pairs)
        raise ValueError("far enough")

    monkeypatch.setattr(image_kind.ImageDomainCounterfactual, "fit", fit)
    run("fit", twice, "--pairs", twice, "--out", twice / "a.model")
    assert len(given["pairs"]) == 3
