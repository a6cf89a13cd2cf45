"""The published scenes in `reproduce --data-dir`, from tiny files of the same layout."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from elsewhere.experiments.images.settings import as_published, load, setting_of

pytestmark = pytest.mark.fast


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    h5py = pytest.importorskip("h5py")
    root = tmp_path_factory.mktemp("releases")
    sizes = (2, 2, 3, 8, 4, 5)
    codes = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1)
    with h5py.File(root / "3dshapes.h5", "w") as file:
        file["labels"] = codes
        file["images"] = np.full((len(codes), 8, 8, 3), codes[:, 4, None, None, None], np.uint8)
    rng, ident = np.random.default_rng(0), root / "causal3dident"
    for kind in range(7):
        (ident / f"images_{kind}").mkdir(parents=True)
        latents = rng.uniform(-1, 1, (20, 10))
        np.save(ident / f"raw_latents_{kind}.npy", latents)
        for i in range(20):
            Image.new("RGB", (8, 8), (kind, 0, 0)).save(ident / f"images_{kind}/{i:02d}.png")
    return root


@pytest.mark.parametrize(("name", "domains"), [("I4", 4), ("I5", 2)])
def test_the_published_images_take_the_place_of_drawn_ones(directory, name, domains):
    setting = as_published(setting_of(name), directory)
    assert "as published" in setting.title
    data = load(replace(setting, side=4, amount=20), directory).train
    assert data.num_domains == domains
    assert data.images.shape[1:] == (4, 4, 3)
    shown = data.domains if name == "I4" else data.classes
    assert (data.images[:, 0, 0, 0] == shown).all()
    assert setting.data != setting_of(name).data


@pytest.mark.parametrize("name", ["I1", "I4", "I5"])
def test_a_directory_without_them_changes_nothing(tmp_path, name):
    assert as_published(setting_of(name), tmp_path) == setting_of(name)
    assert as_published(setting_of(name), None) == setting_of(name)


def test_no_directory_is_said(directory):
    with pytest.raises(ValueError, match="--data-dir must be the directory that holds 3dshapes"):
        load(as_published(setting_of("I4"), directory), None)
