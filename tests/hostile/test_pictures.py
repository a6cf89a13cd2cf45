"""Images from strangers: read rightly, or refused in one line that names the file."""

import os
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from elsewhere.datasets.pictures.files import ImageFileError, image_paths, read_image
from elsewhere.datasets.pictures.folders import files_by_domain

GREY = np.arange(96, dtype=np.uint8).reshape(8, 12)


def refused(path, match):
    with pytest.raises(ImageFileError, match=match) as caught:
        read_image(path)
    assert path.name in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.png"
    Image.fromarray(GREY).save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 90)  # 96 are too many, and twice as many worse
    refused(path, "decompression bomb")


def test_several_frames_are_refused(tmp_path):
    frames = [Image.fromarray(np.roll(GREY, i, axis=0)) for i in range(3)]
    for name in ("a.gif", "a.tiff", "a.webp"):
        frames[0].save(tmp_path / name, save_all=True, append_images=frames[1:])
        refused(tmp_path / name, "several frames")


def test_sixteen_bits_are_refused(tmp_path):
    Image.fromarray(GREY.astype(np.uint16) * 256).save(tmp_path / "deep.png")
    refused(tmp_path / "deep.png", "8 bits per channel")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_sixteen_bits_of_each_colour_are_refused(tmp_path):
    """Pillow reads the upper half of each, and says nothing."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 16, 2, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress(bytes(2 * (1 + 2 * 6))))
    path = tmp_path / "deep.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + head + rows + chunk(b"IEND", b""))
    refused(path, "8 bits per channel")


def test_no_image_starts_a_program(tmp_path, monkeypatch):
    """Whatever it is called: Pillow has Ghostscript draw EPS."""

    def started(*_, **__):
        raise AssertionError("a program was started")

    monkeypatch.setattr("subprocess.Popen", started)
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", "gs")
    path = tmp_path / "drawn.png"
    Image.fromarray(GREY).save(path, format="EPS")
    refused(path, "must be a whole image file; got cannot identify")


def test_four_inks_become_three_colours(tmp_path):
    Image.new("CMYK", (8, 8), (0, 255, 255, 0)).save(tmp_path / "inks.tiff")
    assert read_image(tmp_path / "inks.tiff")[0, 0].tolist() == [255, 0, 0]


def test_a_turned_camera_is_turned_back(tmp_path):
    image, exif = Image.fromarray(GREY), Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    image.save(tmp_path / "turned.png", exif=exif)
    np.testing.assert_array_equal(read_image(tmp_path / "turned.png")[..., 0], np.rot90(GREY, -1))


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.bmp", "a.tiff", "a.webp"])
def test_every_cut_is_noticed(tmp_path, name):
    path = tmp_path / name
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    Image.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    refused(path, "must be a whole image file")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.png")
    refused(tmp_path / "a.png", "must be a file")


def test_damaged_remarks_of_a_camera_are_left_out(tmp_path):
    """Pillow warns of them, in two lines; here a warning is an error."""
    path = tmp_path / "a.jpg"
    Image.fromarray(GREY).save(path, exif=b"Exif\0\0MM\0*" + b"junk" * 3)
    assert read_image(path).shape == (8, 12, 1)


def test_links_that_loop_are_left_out(tmp_path):
    (tmp_path / "a").mkdir()
    Image.fromarray(GREY).save(tmp_path / "a" / "0.png")
    (tmp_path / "a" / "1.png").symlink_to(tmp_path / "a" / "1.png")
    (tmp_path / "b").symlink_to(tmp_path / "b")
    assert [path.name for path in image_paths(tmp_path / "a")] == ["0.png"]
    assert list(files_by_domain(tmp_path)) == ["a"]
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    with pytest.raises(ImageFileError, match="not both"):
        files_by_domain(tmp_path)


def test_a_long_file_with_another_ending_is_refused(tmp_path):
    path = tmp_path / "zeros.png"
    path.write_bytes(bytes(1 << 20))
    refused(path, "must be a whole image file")
