"""The function that every engine runs: Arrow batch in, Arrow batch out."""

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from elsewhere.errors import DomainError
from elsewhere.estimators import DomainCounterfactual
from table_data import FEATURES, fitted, table


@pytest.fixture(scope="module")
def batch():
    return pa.RecordBatch.from_pandas(table().reset_index(drop=True), preserve_index=False)


def frame(batch):
    return pa.Table.from_batches([batch]).to_pandas()


def test_it_answers_as_the_estimator_does(batch):
    moved = fitted().mover("south")(batch)
    rows = table().reset_index(drop=True)
    answer = fitted().counterfactual(rows[FEATURES], source=rows["site"], target="south")
    expected = rows.assign(**{c: answer[c] for c in FEATURES}, site="south")
    pd.testing.assert_frame_equal(frame(moved), expected, check_exact=True)
    assert moved.schema == fitted().mover("south").schema(batch.schema)


def test_however_the_rows_are_cut(batch):
    move = fitted().mover("north")
    parts = [move(batch.slice(start, 37)) for start in range(0, batch.num_rows, 37)]
    np.testing.assert_allclose(
        pa.Table.from_batches(parts).to_pandas()[FEATURES], frame(move(batch))[FEATURES], rtol=1e-6
    )
    assert move(batch.slice(0, 0)).schema == move.schema(batch.schema)


def test_it_answers_the_same_in_another_process(batch, tmp_path):
    move = fitted().mover("south")
    (tmp_path / "move").write_bytes(pickle.dumps((move, batch)))
    code = (
        "import pickle, sys; move, batch = pickle.load(open(sys.argv[1], 'rb')); "
        "pickle.dump(move(batch), open(sys.argv[2], 'wb'))"
    )
    files = [str(tmp_path / "move"), str(tmp_path / "moved")]
    subprocess.run([sys.executable, "-c", code, *files], check=True, timeout=120)
    assert pickle.loads((tmp_path / "moved").read_bytes()).equals(move(batch))


def test_missing_entries_whole_numbers_and_categories():
    rows = (
        table()
        .reset_index(drop=True)[["mass", "count", "level", "flat", "site"]]
        .astype({"count": "Int64", "site": "category"})
    )
    rows.loc[3, "count"] = pd.NA
    rows.loc[5, "mass"] = np.nan
    batch = pa.RecordBatch.from_pandas(rows, preserve_index=False)
    moved = fitted().mover("south")(batch)
    assert moved.schema.field("count").type == pa.int64()
    assert (moved.column("count").null_count, moved.column("count")[3].is_valid) == (1, False)
    assert pa.types.is_dictionary(moved.column("site").type)
    filled = fitted().mover("south", fill=True)(batch)
    assert filled.column("count").null_count == 0


def test_without_a_column_of_domains_the_source_is_said(batch):
    bare = batch.drop_columns(["site"])
    moved = fitted().mover("south", source="south")(bare)
    assert moved.equals(bare)
    with pytest.raises(ValueError, match="has no column \\['site'\\]"):
        fitted().mover("south")(bare)
    with pytest.raises(ValueError, match="leave source out"):
        fitted().mover("south", source="north")(batch)


def test_what_cannot_be_moved_is_named(batch):
    with pytest.raises(DomainError, match="target must be a domain of the fit"):
        fitted().mover("west")
    gone = batch.set_column(2, "site", pa.array(["north"] * 299 + [None]))
    with pytest.raises(ValueError, match="row 300 has none"):
        fitted().mover("south")(gone)
    unknown = batch.set_column(2, "site", pa.array(["north"] * 299 + ["mars"]))
    with pytest.raises(ValueError, match="'mars' is not in the model"):
        fitted().mover("south")(unknown)
    text = batch.set_column(1, "mass", pa.array(["heavy"] * 300))
    with pytest.raises(ValueError, match="'mass' of the batch must hold numbers"):
        fitted().mover("south")(text)
    rows = table().reset_index(drop=True)
    bare = DomainCounterfactual(mixing="moments").fit(rows[FEATURES].to_numpy(), rows["site"])
    with pytest.raises(ValueError, match="named columns"):
        bare.mover("south")
