"""Folders of images, and the releases of 3D Shapes and Causal3DIdent in miniature."""

import itertools

import jax
import numpy as np
import pytest
from PIL import Image

from elsewhere.datasets.pictures import load_folder, load_ident, load_shapes
from elsewhere.datasets.pictures.files import ImageFileError, read_image

KEY = jax.random.key(0)


def test_one_sub_folder_a_domain(picture_folder):
    (picture_folder / "day/notes.txt").write_text("not an image")
    (picture_folder / "day/.hidden.png").write_text("nor this")
    data = load_folder(picture_folder)
    assert data.domain_names == ("day", "night")
    assert data.domains.tolist() == [0, 0, 0, 1, 1, 1]
    assert data.images.shape == (6, 8, 6, 3)
    assert data.classes is None
    first = np.asarray(Image.open(picture_folder / "night/1.png"))
    assert (data.images[4] == first).all()


def test_sub_folders_of_a_domain_are_classes(tmp_path):
    for domain, kind in itertools.product("ab", ("cat", "dog")):
        (tmp_path / domain / kind).mkdir(parents=True)
        Image.new("L", (8, 8), 7).save(tmp_path / domain / kind / "0.bmp")
    data = load_folder(tmp_path)
    assert data.class_names == ("cat", "dog")
    assert data.classes.tolist() == [0, 1, 0, 1]
    assert data.images.shape == (4, 8, 8, 1)
    Image.new("L", (8, 8)).save(tmp_path / "b/loose.png")
    with pytest.raises(ImageFileError, match=r"b must hold images or one folder per class.*loose"):
        load_folder(tmp_path)


def test_size_makes_all_alike(picture_folder):
    Image.new("RGB", (30, 20)).save(picture_folder / "night/big.jpg")
    with pytest.raises(ImageFileError, match=r"big\.jpg must have the size.*8 × 6; got 20 × 30"):
        load_folder(picture_folder)
    assert load_folder(picture_folder, size=8).images.shape == (7, 8, 8, 3)


def test_what_a_folder_must_be(picture_folder, tmp_path):
    with pytest.raises(ImageFileError, match="nowhere"):
        load_folder(tmp_path / "nowhere")
    Image.new("L", (6, 8)).save(picture_folder / "night/grey.png")
    with pytest.raises(ImageFileError, match=r"grey\.png must have as many channels.*3; got 1"):
        load_folder(picture_folder)
    (picture_folder / "night/grey.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    with pytest.raises(ImageFileError, match=r"grey\.png must be a whole image"):
        load_folder(picture_folder)
    (picture_folder / "night/grey.png").unlink()
    (picture_folder / "dusk").mkdir()
    with pytest.raises(ImageFileError, match="dusk must hold images of its domain; got none"):
        load_folder(picture_folder)


def test_a_file_cut_short_is_named(picture_folder):
    path = picture_folder / "day/0.png"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ImageFileError, match=r"day/0\.png"):
        load_folder(picture_folder)


def test_one_domain_is_refused(tmp_path):
    (tmp_path / "only").mkdir()
    Image.new("L", (8, 8)).save(tmp_path / "only/0.png")
    with pytest.raises(ValueError, match=r"at least 2.*only"):
        load_folder(tmp_path)


@pytest.mark.parametrize(
    ("mode", "channels"), [("1", 1), ("L", 1), ("P", 3), ("RGB", 3), ("LA", 4), ("RGBA", 4)]
)
def test_modes_and_their_channels(tmp_path, mode, channels):
    Image.new(mode, (5, 4)).save(tmp_path / "image.png")
    assert read_image(tmp_path / "image.png").shape == (4, 5, channels)


def test_sixteen_bits_are_refused(tmp_path):
    Image.fromarray(np.full((4, 4), 40_000, np.uint16)).save(tmp_path / "deep.png")
    with pytest.raises(ImageFileError, match=r"deep\.png must have 8 bits"):
        read_image(tmp_path / "deep.png")


def test_a_photograph_is_turned_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera lay on its side
    Image.new("RGB", (8, 4)).save(tmp_path / "photo.jpg", exif=exif)
    assert read_image(tmp_path / "photo.jpg").shape == (8, 4, 3)


SIZES = (2, 2, 3, 2, 4, 5)


@pytest.fixture(scope="module")
def shapes_file(tmp_path_factory):
    """Every combination of factors, an image's pixels being its own factors."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path_factory.mktemp("shapes") / "3dshapes.h5"
    codes = np.stack(np.unravel_index(np.arange(np.prod(SIZES)), SIZES), axis=1)
    images = np.zeros((len(codes), 4, 4, 3), np.uint8)
    images[:, 0, :2] = codes.reshape(-1, 2, 3)
    with h5py.File(path, "w") as file:
        file["images"], file["labels"] = images, codes * 0.1 - 3
    return path


def test_shapes_release(shapes_file):
    parts = load_shapes(KEY, shapes_file, scale=1)
    rows = [part.images[:, 0, :2].reshape(-1, 6) for part in (parts.train, parts.valid, parts.test)]
    assert sum(len(part) for part in rows) == 4 * 60
    data, codes = parts.train, rows[0]
    assert (codes[:, 3] == 1).all()
    assert (codes[:, 4] == data.domains).all()
    assert (codes[:, 2] == data.classes).all()
    assert (codes[:, 5] == data.factors["orientation"]).all()
    moved = data.counterfactual([3, 0, 7], "sphere")[:, 0, :2].reshape(-1, 6)
    assert (moved[:, 4] == 2).all()
    kept = [0, 1, 2, 3, 5]
    assert (moved[:, kept] == codes[[3, 0, 7]][:, kept]).all()


def test_fewer_shapes_and_what_is_refused(shapes_file, tmp_path):
    assert len(load_shapes(KEY, shapes_file, per_domain=10, scale=0).train) == 32
    with pytest.raises(ValueError, match=r"scale must be in 0\.\.1; got 2"):
        load_shapes(KEY, shapes_file, scale=2)
    (tmp_path / "other.h5").write_text("something else")
    with pytest.raises(ValueError, match=r"other\.h5 must be the file 3dshapes\.h5"):
        load_shapes(KEY, tmp_path / "other.h5")


def test_shapes_in_another_size_keep_what_they_show(shapes_file):
    plain, small = (load_shapes(KEY, shapes_file, scale=1, size=size).train for size in (None, 2))
    assert small.images.shape[1:] == (2, 2, 3)
    boxes = plain.images.reshape(-1, 2, 2, 2, 2, 3).mean(axis=(2, 4))
    assert np.abs(small.images - boxes).max() < 1  # rows, then columns are rounded
    assert small.counterfactual([0], "sphere").shape == (1, 2, 2, 3)


@pytest.fixture
def ident_folder(tmp_path):
    """Seven classes of twenty images whose grey is their background hue."""
    rng = np.random.default_rng(0)
    for kind in range(7):
        latents = rng.uniform(-1, 1, (20, 10))
        np.save(tmp_path / f"raw_latents_{kind}.npy", latents)
        (tmp_path / f"images_{kind}").mkdir()
        for i, hue in enumerate(latents[:, -1]):
            grey = round(127.5 + 127.5 * hue)
            Image.new("RGB", (20, 20), (grey, kind, 0)).save(
                tmp_path / f"images_{kind}/{i:02d}.png"
            )
    return tmp_path


def test_ident_release(ident_folder):
    parts = load_ident(KEY, ident_folder, size=8)
    data = parts.train
    hue = (data.images[:, 0, 0, 0].astype(float) / 127.5 - 1) * np.pi / 2
    np.testing.assert_allclose(hue, data.factors["background_hue"], atol=0.01)
    assert (data.images[:, 0, 0, 1] == data.classes).all()
    assert (data.factors["background_hue"][data.domains == 0] <= -0.8).all()
    assert (data.factors["background_hue"][data.domains == 1] >= 0.8).all()
    assert data.images.shape[1:] == (8, 8, 3)
    assert data.truth is None


def test_what_the_ident_release_must_hold(ident_folder):
    (ident_folder / "images_3/00.png").unlink()
    with pytest.raises(ImageFileError, match=r"raw_latents_3\.npy must have shape \[19, 10\]"):
        load_ident(KEY, ident_folder)
    (ident_folder / "raw_latents_2.npy").unlink()
    with pytest.raises(ImageFileError, match=r"raw_latents_2\.npy.*missing"):
        load_ident(KEY, ident_folder)
