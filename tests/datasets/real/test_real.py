"""Loaders of real tables, on tiny tables of the same layout."""

from dataclasses import replace

import numpy as np
import pytest
from tests.datasets.real import layouts

from elsewhere.datasets.real import (
    RealDataError,
    cell_lines,
    gas,
    load_cell_lines,
    load_gas,
    load_tablets,
    source,
    tablets,
)

MODULES = {"tablets": tablets, "gas": gas, "cell_lines": cell_lines}
NAMES = {"tablets": "TABLETS", "gas": "GAS", "cell_lines": "CELL_LINES"}
LOADERS = {
    "tablets": load_tablets,
    "gas": load_gas,
    "cell_lines": lambda directory=None: load_cell_lines(directory, most_variable=None),
}
EVERY = pytest.mark.parametrize("kind", sorted(MODULES))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Write a tiny table where the loader looks, and let its checksum be the right one."""

    def write(kind, frame=None, folder=None, *, urls=None):
        module, name = MODULES[kind], NAMES[kind]
        right = getattr(layouts, kind)(np.random.default_rng(0))
        known = getattr(module, name)
        tiny = replace(known, sha256=source.table_sha256(known.tidy(right)))
        monkeypatch.setattr(module, name, tiny if urls is None else replace(tiny, urls=urls))
        path = (tmp_path / known.name if folder is None else folder) / known.file
        if frame is not False:
            path.parent.mkdir(exist_ok=True)
            (right if frame is None else frame).to_csv(path, index=False)
        return right

    return write


@EVERY
def test_a_prepared_file_is_found_and_paired(kind, place, tmp_path, monkeypatch):
    place(kind)
    data = LOADERS[kind](tmp_path)
    assert data.values.shape == (len(data.domains), len(data.samples), len(data.columns))
    assert list(data.samples) == sorted(data.samples)
    monkeypatch.setenv("ELSEWHERE_DATA", str(tmp_path))
    np.testing.assert_array_equal(LOADERS[kind]().values, data.values)


@EVERY
def test_a_file_in_the_directory_itself_is_found(kind, place, tmp_path):
    place(kind, folder=tmp_path)
    assert len(LOADERS[kind](tmp_path).samples) > 1


def test_rows_stand_beside_the_same_sample(place, tmp_path):
    frame = place("tablets")
    data = load_tablets(tmp_path, below=10_000)
    for d, instrument in enumerate((1, 2)):
        for i, sample in enumerate(data.samples):
            row = frame[(frame["instrument"] == instrument) & (frame["sample"] == int(sample))]
            np.testing.assert_array_equal(data.values[d, i], row.filter(like="nm").to_numpy()[0])


def test_tablets_keep_wavelengths_below_the_noise(place, tmp_path):
    place("tablets")
    assert load_tablets(tmp_path).columns == ("nm600", "nm602", "nm1598")
    assert load_tablets(tmp_path, below=602).columns == ("nm600",)


def test_samples_are_sorted_by_number_not_by_text():
    frame = layouts.tablets(np.random.default_rng(0), samples=11)
    table = tablets.TABLETS.tidy(frame)
    assert list(table.xs("1", level="domain").index) == list(range(1, 12))


def test_gas_keeps_exposures_that_all_boards_saw(place, tmp_path):
    place("gas")
    five, three = load_gas(tmp_path), load_gas(tmp_path, boards=3)
    assert five.values.shape == (5, 2, 8)
    assert three.values.shape == (3, 4, 8)
    assert three.columns[0] == "s1_amp"
    with pytest.raises(ValueError, match=r"boards must be in 2\.\.5; got 6"):
        load_gas(tmp_path, boards=6)


def test_the_most_variable_genes_are_kept_in_their_order(place, tmp_path):
    place("cell_lines")
    assert load_cell_lines(tmp_path, most_variable=2).columns == ("C", "D")
    with pytest.raises(ValueError, match=r"most_variable must be in 1\.\.4; got 500"):
        load_cell_lines(tmp_path)


@EVERY
def test_another_table_fails_the_checksum(kind, place, tmp_path):
    frame = getattr(layouts, kind)(np.random.default_rng(1))
    place(kind, frame)
    with pytest.raises(RealDataError, match=r"does not hold the table it should: its SHA-256"):
        LOADERS[kind](tmp_path)


@EVERY
def test_a_missing_directory_is_named(kind, tmp_path):
    with pytest.raises(RealDataError, match="nowhere is not a directory"):
        LOADERS[kind](tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("kind", "column"), [("tablets", "instrument"), ("gas", "s3_amp"), ("cell_lines", "cell_line")]
)
def test_missing_columns_are_named(kind, column, place, tmp_path):
    frame = getattr(layouts, kind)(np.random.default_rng(0)).drop(columns=column)
    place(kind, frame)
    with pytest.raises(RealDataError, match=rf"must have the columns.*missing: {column}"):
        LOADERS[kind](tmp_path)


def test_holes_and_repeated_rows_are_named(place, tmp_path):
    frame = layouts.gas(np.random.default_rng(0))
    frame.loc[0, "s1_amp"] = np.nan
    place("gas", frame)
    with pytest.raises(RealDataError, match="missing or repeated"):
        load_gas(tmp_path)
    frame = layouts.gas(np.random.default_rng(0))
    frame.loc[0, "exposure"] = frame.loc[1, "exposure"]
    place("gas", frame)
    with pytest.raises(RealDataError, match="missing or repeated"):
        load_gas(tmp_path)


def test_a_file_that_is_no_table_is_named(place, tmp_path):
    place("tablets")
    (tmp_path / "tablets_nir" / "tablets.csv.gz").write_bytes(b"\x1f\x8bjunk")
    with pytest.raises(RealDataError, match=r"tablets\.csv\.gz is not a CSV file"):
        load_tablets(tmp_path)


def published(kind, folder):
    """The published files in a folder, and their addresses."""
    right = getattr(layouts, kind)(np.random.default_rng(0))
    files = getattr(layouts, f"published_{kind}")(right)
    urls = []
    for i, frame in enumerate(files if isinstance(files, list) else [files]):
        path = folder / f"{kind}-{i}.csv"
        frame.to_csv(path, index=False)
        urls.append(path.as_uri())
    return tuple(urls)


@pytest.mark.parametrize("kind", ["tablets", "gas"])
def test_published_files_are_downloaded_converted_and_kept(
    kind, place, tmp_path, tmp_path_factory, monkeypatch
):
    urls = published(kind, tmp_path_factory.mktemp("web"))
    prepared = place(kind, False, urls=urls)
    data = LOADERS[kind](tmp_path)
    expected = MODULES[kind].__dict__[NAMES[kind]].tidy(prepared)
    first = expected.xs(data.domains[0], level="domain")
    np.testing.assert_array_equal(data.values[0][0], first.iloc[0][list(data.columns)])
    monkeypatch.setattr(source, "read_url", lambda url: pytest.fail(f"{url} was read again"))
    np.testing.assert_array_equal(LOADERS[kind](tmp_path).values, data.values)


def test_a_wrong_download_is_not_kept(place, tmp_path, tmp_path_factory):
    web = tmp_path_factory.mktemp("web")
    urls = published("gas", web)
    place("gas", False, urls=urls)
    wrong = layouts.published_gas(layouts.gas(np.random.default_rng(9)))
    wrong.to_csv(web / "gas-0.csv", index=False)
    with pytest.raises(RealDataError, match="SHA-256"):
        load_gas(tmp_path)
    assert not list(tmp_path.rglob("*.csv"))


def test_no_network_names_the_remedy(place, tmp_path):
    place("gas", False, urls=((tmp_path / "no-such-file.csv").as_uri(),))
    with pytest.raises(RealDataError, match=r"could not be downloaded.*ELSEWHERE_DATA"):
        load_gas(tmp_path)


def test_what_is_not_published_as_a_table_says_so(place, tmp_path):
    place("cell_lines", False)
    with pytest.raises(RealDataError, match=r"cannot be downloaded.*Put nci60\.csv\.gz into"):
        load_cell_lines(tmp_path)


def test_no_sample_in_all_domains_is_an_error(place, tmp_path):
    frame = layouts.cell_lines(np.random.default_rng(0))
    frame.loc[frame["array"] == "gpl96", "cell_line"] += "x"
    tidy = cell_lines.CELL_LINES.tidy(frame)
    with pytest.raises(RealDataError, match="no sample was measured in each of gpl96, gpl570"):
        cell_lines.pair("cell lines", tidy, cell_lines.ARRAYS)
