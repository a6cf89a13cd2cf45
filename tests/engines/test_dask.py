"""The mover in Dask: a partition in, a partition out."""

import pandas as pd
import pytest

from table_data import fitted, table

dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed: see `make test-engines`")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_partitions_give_what_the_table_gives():
    rows = table().reset_index(drop=True)
    move = fitted().mover("south")
    found = dd.from_pandas(rows, npartitions=4).map_partitions(
        move.frame, meta=move.frame(rows[:0])
    )
    pd.testing.assert_frame_equal(
        found.compute(scheduler="synchronous"), move.frame(rows), rtol=1e-6, check_dtype=False
    )
