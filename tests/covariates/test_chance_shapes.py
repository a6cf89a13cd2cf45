"""Spreads and covariances are compared between rows whose covariates tell as much of the domain."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.covariates import fit_covariates
from elsewhere.covariates.chance_shapes import shapes_by_chance, strata
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting.moments import permutation


def patients(seed, gain=1.0):
    """Ill rows vary in step and well ones against it; one site has four times as many ill."""
    rng = np.random.default_rng(seed)
    site = np.repeat([0, 1], 150)
    ill = rng.random(300) < np.where(site, 0.8, 0.2)
    common = rng.normal(size=300)
    y = np.c_[common, np.where(ill, 1, -1) * common] + 0.7 * rng.normal(size=(300, 2))
    return y * np.where(site, gain, 1.0)[:, None], site, pd.DataFrame({"ill": ill})


def p_values(seed, gain=1.0):
    y, site, C = patients(seed, gain)
    known = fit_covariates(C, y, site)
    z = known.z(C, len(y))
    return shapes_by_chance(known, known.taken_out(y, z, site), z, site)


def test_a_mix_of_patients_is_no_difference_of_scales_or_covariances(monkeypatch):
    monkeypatch.setattr(permutation, "TIMES", 99)
    found = np.array([p_values(seed) for seed in range(20)])
    assert ((found <= 0.05).sum(axis=0) <= 3).all()
    assert (found.mean(axis=0) > 0.3).all()


def test_a_scale_of_the_site_is_still_found():
    assert p_values(0, gain=1.6)[0] <= 0.005


@pytest.mark.parametrize("seed", [0, 1])
def test_nobody_moves_where_only_the_mix_differs(seed):
    y, site, C = patients(seed)
    asked = {"source": site, "target": 1, "covariates": C}
    kept = DomainCounterfactual(mixing="moments", links="identity").fit(y, site, covariates=C)
    assert kept.counterfactual(y, **asked) == pytest.approx(y)
    mixed = DomainCounterfactual(mixing="moments", links="identity").fit(y, site)
    assert np.abs(mixed.counterfactual(y, source=site, target=1) - y).max() > 0.5


def test_strata_are_the_levels_of_a_category_and_at_most_five_parts_of_a_number():
    rng = np.random.default_rng(0)
    two = (rng.random(400) < 0.3).astype(float)[:, None]
    found = strata(two, np.array([[0.2], [0.6]]), np.array([200, 200]))
    assert len(set(zip(two[:, 0], found, strict=True))) == 2
    number = rng.normal(size=(400, 1))
    found = strata(number, np.array([[-1.0], [1.0]]), np.array([200, 200]))
    assert len(np.unique(found)) == 5
    assert np.bincount(found).min() >= 60
