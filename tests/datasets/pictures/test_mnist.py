"""IDX files, where they are found, and downloads that are checked."""

import gzip
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.datasets.pictures.idx_files import idx_bytes

from elsewhere.datasets.pictures.download import DownloadError, data_folder, fetch
from elsewhere.datasets.pictures.idx import IdxError, read_idx
from elsewhere.datasets.pictures.mnist import FILES, SOURCES, load_mnist


@given(arrays(np.uint8, array_shapes(max_dims=4, max_side=4)), st.booleans())
def test_idx_round_trip(tmp_path_factory, array, zipped):
    path = tmp_path_factory.mktemp("idx") / "file"
    content = idx_bytes(array)
    path.write_bytes(gzip.compress(content) if zipped else content)
    assert (read_idx(path) == array).all()
    assert read_idx(path).shape == array.shape


WHOLE = idx_bytes(np.ones((3, 4, 4)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "must be an IDX file"),
        (b"\x89PNG\r\n", "must be an IDX file"),
        (WHOLE.replace(b"\x08", b"\x0d", 1), "unsigned bytes"),
        (WHOLE[:-5], "48 bytes after its header.*got 43"),
        (WHOLE + b"x", "got 49"),
        (WHOLE[:9], "got 0"),
        (gzip.compress(WHOLE)[:-12], "whole gzip"),
        (gzip.compress(WHOLE)[:15] + b"junk" * 9, "whole gzip"),
    ],
    ids=["empty", "png", "type", "cut", "long", "header", "cut gzip", "edited gzip"],
)
def test_broken_files_are_named(tmp_path, content, message):
    path = tmp_path / "broken-file"
    path.write_bytes(content)
    with pytest.raises(IdxError, match=f"broken-file.*{message}"):
        read_idx(path)


def test_where_files_are_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ELSEWHERE_DATA", raising=False)
    assert data_folder("mnist") == tmp_path / "cache/elsewhere/mnist"
    monkeypatch.setenv("ELSEWHERE_DATA", str(tmp_path / "mine"))
    assert data_folder("mnist") == tmp_path / "mine/mnist"
    assert data_folder("mnist", tmp_path / "here") == tmp_path / "here"


def test_load(digits, mnist_folder, monkeypatch, tmp_path):
    train, test = load_mnist(directory=mnist_folder)
    assert (train.images == digits[0]).all()
    assert (test.labels == digits[3]).all()
    (tmp_path / "fashion-mnist").symlink_to(mnist_folder)
    monkeypatch.setenv("ELSEWHERE_DATA", str(tmp_path))
    assert (load_mnist("fashion-mnist")[0].images == digits[0]).all()


def test_what_load_refuses(tmp_path, digits):
    with pytest.raises(ValueError, match="kmnist"):
        load_mnist("kmnist")
    with pytest.raises(DownloadError, match="train-images.*allow the download"):
        load_mnist(directory=tmp_path, download=False)
    for name, array in zip(FILES, (digits[0], digits[1][:-1], *digits[2:]), strict=True):
        (tmp_path / name).write_bytes(idx_bytes(array))
    with pytest.raises(IdxError, match=r"a label each; got shapes \(120, 12, 12\) and \(119,\)"):
        load_mnist(directory=tmp_path)


def test_four_checksums_each():
    for source in SOURCES.values():
        assert len(set(source.sha256)) == 4
        assert all(len(bytes.fromhex(value)) == 32 for value in source.sha256)
        assert len(source.class_names) == 10


@pytest.fixture
def mirror(tmp_path):
    """Two mirrors: the first has a wrong file, the second the right one."""
    for name, content in (("bad", b"something else"), ("good", b"the file")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.gz").write_bytes(content)
    return [f"{(tmp_path / name).as_uri()}/" for name in ("missing", "bad", "good")]


SHA = hashlib.sha256(b"the file").hexdigest()


def test_a_wrong_mirror_is_passed_over(mirror, tmp_path):
    folder = tmp_path / "into/here"
    assert fetch("f.gz", folder, mirror, SHA).read_bytes() == b"the file"
    assert [path.name for path in folder.iterdir()] == ["f.gz"]


def test_a_wrong_file_is_not_kept(mirror, tmp_path):
    with pytest.raises(DownloadError, match=r"f\.gz.*missing.*bad.*SHA-256.*ELSEWHERE_DATA"):
        fetch("f.gz", tmp_path / "new", mirror[:2], SHA)
    assert not (tmp_path / "new").exists()
