"""What a new process loads: nothing that it does not need."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual

HEAVY = ("jax", "equinox", "flowjax", "optax", "sklearn", "scipy", "pandas", "pyarrow")
FIT = """
import numpy as np
from elsewhere import DomainCounterfactual
x = np.random.default_rng(0).standard_normal((200, 3)) + np.repeat([0, 2], 100)[:, None]
domains = np.repeat(["here", "there"], 100)
model = DomainCounterfactual().fit(x, domains)
model.save({path!r})
again = DomainCounterfactual.load({path!r})
assert again.counterfactual(x, domains, "there").mean() > 1.5
"""


def loaded(code):
    """Which of the heavy packages a new process has loaded in the end."""
    asked = f"import sys\n{code}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()[-1].split()


def test_the_estimator_opens_without_heavy_packages():
    assert loaded("from elsewhere import DomainCounterfactual") == []


def test_a_fit_that_needs_no_mechanisms_never_loads_jax(tmp_path):
    found = loaded(FIT.format(path=str(tmp_path / "a.model")))
    assert not {"jax", "equinox", "flowjax", "optax"} & {*found}


def test_the_app_opens_without_what_fits_and_draws():
    pytest.importorskip("starlette")
    assert not {*loaded("import elsewhere.app.server")} - {"pyarrow"}


@pytest.mark.parametrize("module", ["elsewhere.datasets.tables", "elsewhere.covariates"])
def test_tables_and_covariates_open_without_jax(module):
    assert "jax" not in loaded(f"import {module}")


def test_an_estimator_is_one_of_scikit_learn():
    code = """
from elsewhere import DomainCounterfactual
import pickle
from sklearn.base import BaseEstimator, clone
made = DomainCounterfactual(k=2)
assert isinstance(made, BaseEstimator) and isinstance(clone(made), DomainCounterfactual)
assert pickle.loads(pickle.dumps(made)).get_params() == made.get_params()
assert hasattr(made, "set_fit_request")
"""
    assert "sklearn" in loaded(code)


COMMAND = """
import sys
from elsewhere.cli import main
sys.argv[1:] = {words!r}
try:
    main()
except SystemExit as stop:
    assert not stop.code
"""


def test_a_command_does_without_scikit_learn(tmp_path):
    rows = np.random.default_rng(0).standard_normal((200, 3)) + np.repeat([0, 2], 100)[:, None]
    frame = pd.DataFrame(rows, columns=["a", "b", "c"]).assign(site=np.repeat(["x", "y"], 100))
    frame.to_csv(table := tmp_path / "rows.csv", index=False)
    model, out = str(tmp_path / "m.model"), str(tmp_path / "out.csv")
    fit = ["fit", str(table), "--domain", "site", "--out", model, "--json"]
    ask = ["counterfactual", model, str(table), "--to", "y", "--out", out, "--json"]
    for words in (fit, ask):
        assert not {"sklearn", "jax"} & {*loaded(COMMAND.format(words=words))}
    again = DomainCounterfactual().fit(frame[["a", "b", "c"]], frame["site"])
    moved = again.counterfactual(frame[["a", "b", "c"]], frame["site"], "y")
    np.testing.assert_allclose(pd.read_csv(out)[["a", "b", "c"]], moved, atol=1e-6)


def test_an_estimator_becomes_one_of_scikit_learn_when_asked():
    code = """
from elsewhere.scikit_learn import load_later
load_later()
from elsewhere import DomainCounterfactual
made = DomainCounterfactual(k=2)
import sys
assert "sklearn" not in sys.modules
assert made.get_params()["k"] == 2
from sklearn.base import BaseEstimator, clone
assert isinstance(made, BaseEstimator) and clone(made).k == 2
"""
    assert "sklearn" in loaded(code)
