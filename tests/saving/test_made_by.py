"""A model file says which version and, where it is known, which commit wrote it."""

import numpy as np
import pytest

import elsewhere
from elsewhere.cli.kinds import open_model
from elsewhere.estimators import DomainCounterfactual, base
from elsewhere.saving import read_model

pytestmark = pytest.mark.fast


@pytest.fixture(scope="module")
def fitted():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    return DomainCounterfactual(mixing="moments").fit(rows, np.repeat(["a", "b"], 20))


@pytest.mark.parametrize("commit", ["v0.2.0-3-g0123abc-dirty", None])
def test_the_header_has_the_version_and_the_commit(fitted, tmp_path, monkeypatch, commit):
    monkeypatch.setattr(base, "commit", lambda: commit)
    path = fitted.save(tmp_path / "m.model")
    header, _ = read_model(path)
    assert header["made_by"] == f"elsewhere {elsewhere.__version__}"
    assert header.get("commit") == commit
    assert open_model(path).made_by.get("commit") == commit
    assert DomainCounterfactual.load(path).domains_ == ("a", "b")
