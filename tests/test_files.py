"""Files appear whole or not at all."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from elsewhere.files import _host, whole_file, write_whole


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


def test_of_two_writers_one_wins_and_no_reader_sees_half(tmp_path):
    path, contents = tmp_path / "a", [b"a" * 300_000, b"b" * 300_000]
    write_whole(path, contents[0])

    def write(content):
        for _ in range(30):
            write_whole(path, content)

    with ThreadPoolExecutor(2) as writers:
        done = [writers.submit(write, content) for content in contents]
        while not all(one.done() for one in done):
            assert path.read_bytes() in contents
    assert [one.result() for one in done] == [None, None]
    assert list(tmp_path.iterdir()) == [path]


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


def mode_of(path):
    return path.stat().st_mode & 0o777


@pytest.fixture
def umask():
    """A function that sets the umask for the test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path, umask, mask, mode):
    umask(mask)
    assert mode_of(write_whole(tmp_path / "a", b"new")) == mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, umask, mode):
    path = write_whole(tmp_path / "a", b"old")
    path.chmod(mode)
    with whole_file(path) as part:
        assert mode_of(part) == 0o600  # nobody else may read it while it is written
        part.write_bytes(b"new")
    assert (path.read_bytes(), mode_of(path)) == (b"new", mode)


def test_the_folder_is_synced_after_the_file_is_in_place(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def record(handle):
        synced.append((os.readlink(f"/proc/self/fd/{handle}"), (tmp_path / "a").exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", record)
    write_whole(tmp_path / "a", b"new")
    assert synced[-1] == (str(tmp_path), True)
    assert not synced[0][1]


KILLED = """
import os, sys
from pathlib import Path
from elsewhere.files import whole_file
with whole_file(Path(sys.argv[1])) as part:
    part.write_bytes(b"half")
    os._exit(9)
"""


def test_what_a_dead_run_left_is_removed_by_the_next(tmp_path):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], check=False)
    assert killed.returncode == 9
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"
    foreign = tmp_path / left.name.replace(_host(), "00000000")  # on a shared disk
    own = tmp_path / re.sub(r"-\d+-", f"-{os.getpid()}-", left.name)
    for other in (foreign, own):
        other.write_bytes(b"being written")
    (tmp_path / ".somebody's.part").write_bytes(b"not ours")
    write_whole(tmp_path / "b", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {
        *(foreign.name, own.name, ".somebody's.part", "b")
    }


def test_long_names_can_be_written(tmp_path):
    path = tmp_path / ("ü" * 120 + ".csv")
    assert write_whole(path, b"new").read_bytes() == b"new"
