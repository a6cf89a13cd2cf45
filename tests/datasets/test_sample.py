"""More rows than memory: a sample by domain, the same whatever comes first."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from elsewhere.datasets.many_files import open_many
from elsewhere.datasets.sample import sampled
from elsewhere.datasets.table_reading import TableFile
from elsewhere.datasets.tables import open_table

pytestmark = pytest.mark.fast
N = 3000


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    site = rng.choice(["a", "b"], N, p=[0.9, 0.1])
    return pd.DataFrame({"x": rng.normal(size=N), "n": np.arange(N), "site": site})


@pytest.fixture
def folder(frame, tmp_path):
    for i in range(3):
        frame.iloc[i * 1000 : (i + 1) * 1000].to_parquet(tmp_path / f"{i}.parquet", index=False)
    return str(tmp_path)


def in_batches(frame, size):
    parts = [
        pa.Table.from_pandas(frame[i : i + size], preserve_index=False)
        for i in range(0, len(frame), size)
    ]
    return TableFile("table", parts[0].schema, False, lambda: iter(parts))


def test_all_rows_in_their_order_where_there_are_few(frame, folder):
    found = sampled(open_many(folder), "site", N, 0)
    pd.testing.assert_frame_equal(found.table.to_pandas(), frame)
    assert (found.note, found.counting, dict(found.rows)) == ("", (), dict(found.kept))


def test_few_of_many(frame, folder):
    found = sampled(open_many(folder), "site", 200, 0)
    counts = frame["site"].value_counts()
    assert dict(found.rows) == counts.to_dict()
    assert dict(found.kept) == {"a": 200, "b": 200}
    rows = found.table.to_pandas()
    assert rows["n"].is_monotonic_increasing
    pd.testing.assert_frame_equal(rows, frame.iloc[rows["n"]].reset_index(drop=True))
    assert found.note.endswith(f"200 of {counts['a']:,} of 'a', 200 of {counts['b']:,} of 'b'.")
    assert found.counting == ("n",)


def test_it_depends_on_the_seed_and_not_on_how_rows_are_cut(frame):
    one = sampled(in_batches(frame, 7), "site", 50, 1).table
    assert one.equals(sampled(in_batches(frame, 1000), "site", 50, 1).table.combine_chunks())
    assert not one.equals(sampled(in_batches(frame, 1000), "site", 50, 2).table)


def test_every_row_is_as_likely_as_any_other(frame):
    times = np.zeros(N)
    for seed in range(60):
        times[sampled(in_batches(frame, 100), "site", 100, seed).table["n"].to_numpy()] += 1
    few = (frame["site"] == "b").to_numpy()
    expected = 60 * 100 / few.sum()
    early, late = times[few][: few.sum() // 2].mean(), times[few][few.sum() // 2 :].mean()
    assert abs(early - late) < 0.15 * expected


def test_missing_labels_are_kept_for_the_reader_to_refuse(tmp_path):
    pd.DataFrame({"x": [1.0, 2.0], "site": ["a", None]}).to_parquet(tmp_path / "t.parquet")
    found = sampled(open_table(str(tmp_path / "t.parquet")), "site", None, 0)
    assert found.table["site"].null_count == 1
