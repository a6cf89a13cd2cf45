"""Files appear whole or not at all."""

import os
from pathlib import Path

import pytest

from elsewhere.files import whole_file, write_whole


def test_an_error_leaves_what_was_there(tmp_path):
    path = write_whole(tmp_path / "a", b"old")
    with pytest.raises(TypeError), whole_file(path) as part:
        part.write_bytes(b"half" + "not bytes")  # type: ignore[operator]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_until_the_end_the_old_file_is_there(tmp_path):
    path = write_whole(tmp_path / "a", b"old")
    with whole_file(path) as part:
        part.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


def test_a_link_stays_a_link(tmp_path):
    write_whole(tmp_path / "real", b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_devices_are_written_to_and_not_replaced():
    write_whole(Path(os.devnull), b"gone")
    assert Path(os.devnull).is_char_device()
    with pytest.raises(OSError, match="No space"):
        write_whole(Path("/dev/full"), b"too much")


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a directory"):
        write_whole(tmp_path, b"")
