"""The mover in Spark: `mapInArrow` on a local session."""

import os
import shutil
import sys

import pandas as pd
import pytest

from table_data import FEATURES, fitted, table

sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed: see `make test-engines`")
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is missing"),
]


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers' Python, too, must have elsewhere
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_rows_give_what_the_table_gives(spark):
    rows = table().reset_index(drop=True).astype({"mass": "float64"})
    asked = spark.createDataFrame(rows).repartition(3)
    move = fitted().mover("south")
    found = asked.mapInArrow(move.batches, asked.schema).toPandas()
    found = found.sort_values("id", ignore_index=True)
    expected = move.frame(rows)
    pd.testing.assert_frame_equal(found[FEATURES], expected[FEATURES], rtol=1e-6, check_dtype=False)
    assert (found["site"] == "south").all()
