"""AnnData: one more layer, nothing overwritten, and the file can be read back."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from elsewhere import DomainCounterfactual
from elsewhere.anndata import counterfactual

anndata = pytest.importorskip(
    "anndata", reason="an extra that asks for an older pandas: `make test-lowest` has it"
)
pytestmark = pytest.mark.fast


@pytest.fixture
def cells():
    """40 cells of two batches, the second with 4 more of every second gene; sparse counts."""
    rng = np.random.default_rng(0)
    batch = np.repeat(["A", "B"], 20)
    counts = rng.poisson(6, (40, 8)) + 4 * np.outer(batch == "B", np.arange(8) % 2)
    obs = pd.DataFrame({"batch": pd.Categorical(batch)}, index=[f"cell{i}" for i in range(40)])
    return anndata.AnnData(csr_matrix(counts.astype(np.float32)), obs=obs)


def moments():
    return DomainCounterfactual(mixing="moments")


def test_answers_are_a_layer_and_x_stays(cells, tmp_path):
    before = cells.X.toarray().copy()
    counterfactual(cells, key="batch", target="A", layer_added="as_A", estimator=moments())
    np.testing.assert_array_equal(cells.X.toarray(), before)
    moved, in_b = cells.layers["as_A"], (cells.obs["batch"] == "B").to_numpy()
    np.testing.assert_array_equal(moved[~in_b], before[~in_b])
    shift = (moved - before)[in_b].mean(axis=0)
    assert shift[1::2].mean() < -2.5
    assert cells.var["as_A_move"].shape == (8,)
    assert cells.obs["as_A_supported"].dtype == bool


def test_the_file_comes_back_whole(cells, tmp_path):
    counterfactual(cells, key="batch", target="A", estimator=moments())
    cells.write_h5ad(tmp_path / "cells.h5ad")
    back = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(back.layers["as_A"], cells.layers["as_A"])
    assert back.uns["elsewhere"]["as_A"]["key"] == "batch"
    assert "offset" in back.uns["elsewhere"]["as_A"]["difference"]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"key": "site"}, r"obs must have the columns \['site'\]"),
        ({"target": "C"}, "target must be a value of obs"),
        ({"layer": "raw"}, "layer must be one of"),
        ({"keep": ["age"]}, r"obs must have the columns \['age'\]"),
    ],
)
def test_what_is_not_there_is_named(cells, asked, message):
    with pytest.raises(ValueError, match=message):
        counterfactual(cells, **({"key": "batch", "target": "A"} | asked))


def test_a_layer_is_never_overwritten(cells):
    cells.layers["as_A"] = cells.X.copy()
    with pytest.raises(ValueError, match="layer_added must be new"):
        counterfactual(cells, key="batch", target="A", estimator=moments())
