"""Rows of a saved leaky model move in NumPy, as the model that JAX builds moves them."""

import os
import pickle
import subprocess
import sys

import jax
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.saving import read_model, write_model
from fitted import estimator_with, table_of, true_model

LOAD_AND_MOVE = """
import sys
from elsewhere.scikit_learn import load_later
load_later()
from elsewhere import DomainCounterfactual
import numpy as np, pandas as pd
model = DomainCounterfactual.load({path!r})
rows = pd.DataFrame(np.load({rows!r}), columns={names!r})
np.save({out!r}, model.counterfactual(rows, "Ash", "Birch"))
print("jax" in sys.modules)
"""


@pytest.fixture(scope="module", params=[False, True], ids=["float32", "float64"])
def saved(request, tmp_path_factory):
    """(the estimator that was saved, its file, rows), in one precision."""
    with jax.enable_x64(request.param):
        rows, _ = table_of(true_model())
        estimator = estimator_with(rows, true_model(), true_model(seed=3))
        path = estimator.save(tmp_path_factory.mktemp("unread") / "a.model")
    return estimator, path, rows


def loaded(path):
    with jax.enable_x64(True):  # a model in float64 asks for it
        return DomainCounterfactual.load(path)


def is_unread(estimator):
    return "result_" not in vars(estimator)


def test_rows_move_to_the_bit_as_those_of_the_model_in_jax(saved):
    estimator, path, rows = saved
    again = loaded(path)
    for d, e in (("Ash", "Birch"), ("Birch", "Ash")):
        moved, expected = (one.counterfactual(rows, d, e) for one in (again, estimator))
        pd.testing.assert_frame_equal(moved, expected, check_exact=True)
    assert is_unread(again)
    assert not is_unread(estimator)


def test_they_move_as_jax_itself_moves_them(saved):
    estimator, path, rows = saved
    y, again = estimator.to_link_space(rows), loaded(path)
    between = {"d": "Ash", "d_prime": "Birch"}
    for light, model in zip(again.movers, estimator.result_.preferred, strict=True):
        with jax.enable_x64(model.dtype == np.float64):
            expected = np.asarray(model.move(y, **between))
        close = 1e-10 if model.dtype == np.float64 else 1e-4
        np.testing.assert_allclose(light.move(y, **between), expected, rtol=close, atol=close)


def test_the_models_are_built_when_they_are_asked_for(saved):
    estimator, path, rows = saved
    again = loaded(path)
    assert again.notes_ == estimator.notes_
    assert not is_unread(again)
    moved, expected = (one.counterfactual(rows, "Ash", "Birch") for one in (again, estimator))
    pd.testing.assert_frame_equal(moved, expected, check_exact=True)
    assert again.save(path.with_name("b.model")).read_bytes() == path.read_bytes()


def test_an_unread_model_can_be_pickled(saved):
    estimator, path, rows = saved
    again = pickle.loads(pickle.dumps(loaded(path)))
    moved, expected = (one.counterfactual(rows, "Ash", "Birch") for one in (again, estimator))
    pd.testing.assert_frame_equal(moved, expected, check_exact=True)


def test_what_is_not_there_is_an_attribute_error(saved):
    with pytest.raises(AttributeError, match="nothing_"):
        _ = loaded(saved[1]).nothing_
    with pytest.raises(AttributeError, match="result_"):
        _ = DomainCounterfactual().result_


def test_arrays_of_more_precision_than_the_model_are_read_at_once(tmp_path):
    with jax.enable_x64(False):
        rows, _ = table_of(true_model())
        path = estimator_with(rows, true_model()).save(tmp_path / "a.model")
    header, arrays = read_model(path)
    assert {a.dtype.name for a in arrays} == {"float32"}
    write_model(path, header, [a.astype(float) if a.dtype == "f4" else a for a in arrays])
    again = DomainCounterfactual.load(path)
    assert not is_unread(again)
    assert again.result_.model.dtype == np.float32


def test_domains_of_models_must_be_those_of_the_header(tmp_path):
    rows, _ = table_of(true_model())
    path = estimator_with(rows, true_model()).save(tmp_path / "a.model")
    header, arrays = read_model(path)
    header["domains"] = list(reversed(header["domains"]))
    write_model(path, header, arrays)
    with pytest.raises(ValueError, match="domains of the header"):
        DomainCounterfactual.load(path)


def test_a_process_that_only_moves_rows_never_loads_jax(tmp_path):
    rows, _ = table_of(true_model())
    estimator = estimator_with(rows, true_model())
    given = {"path": str(estimator.save(tmp_path / "a.model")), "names": list(rows.columns)}
    given |= {"rows": str(tmp_path / "rows.npy"), "out": str(tmp_path / "out.npy")}
    np.save(given["rows"], rows)
    code, env = LOAD_AND_MOVE.format(**given), os.environ | {"JAX_ENABLE_X64": "1"}
    asked = {"capture_output": True, "text": True, "check": True, "env": env}
    run = subprocess.run([sys.executable, "-c", code], **asked)
    assert run.stdout.split() == ["False"]
    moved = estimator.counterfactual(rows, "Ash", "Birch").to_numpy()
    np.testing.assert_array_equal(np.load(given["out"]), moved)


COMMAND = """
import sys
from elsewhere.cli import main
sys.argv[1:] = {words!r}
try:
    main()
except SystemExit as stop:
    assert not stop.code
print("jax" in sys.modules)
"""


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_nor_does_the_command(form, tmp_path):
    rows, sites = table_of(true_model())
    estimator = estimator_with(rows, true_model())
    estimator.domain_name_ = "site"
    model, data, out = (str(tmp_path / name) for name in ("a.model", f"in.{form}", f"out.{form}"))
    estimator.save(model)
    frame = rows.assign(site=sites)
    if form == "csv":
        frame.to_csv(data, index=False)
    else:
        pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), data)
    words = ["counterfactual", model, data, "--to", "Birch", "--out", out, "--json"]
    code = COMMAND.format(words=words)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "False"
    read = pd.read_csv if form == "csv" else pd.read_parquet
    moved = estimator.counterfactual(rows, sites, "Birch")
    np.testing.assert_allclose(read(out)[rows.columns], moved, rtol=0, atol=1e-5)
