"""What `pyproject.toml` claims: versions that are installed, and what broke below the floors."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

import elsewhere

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.mark.parametrize("claim", PROJECT["project"]["dependencies"])
def test_the_installed_version_is_within_the_claim(claim):
    name, floor = re.match(r"([\w-]+)>=([\d.]+)", claim).groups()
    assert Version(version(name)) >= Version(floor)


def test_sobol_points_need_a_scipy_that_takes_rng():
    from scipy.stats import qmc

    points = qmc.Sobol(2, scramble=True, rng=0).random_base2(3)
    assert points.shape == (8, 2)
    assert np.unique(points[:, 0]).size == 8


def test_the_version_stands_in_one_place_and_types_are_shipped():
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "src/elsewhere/__init__.py"
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {elsewhere.__version__}\n" in citation
    assert (Path(elsewhere.__file__).parent / "py.typed").exists()
