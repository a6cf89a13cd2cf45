"""Domains joined to their nearest."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from elsewhere.images.neighbours import frechet_distance, nearest_domains


def test_a_chain_is_found_in_any_order():
    rng, order = np.random.default_rng(0), np.array([2, 0, 3, 1])
    domains = np.repeat(np.arange(4), 300)
    z = rng.standard_normal((1_200, 3)) + 4 * order[domains][:, None]
    assert nearest_domains(z, domains, 4) == ((0, 2), (0, 3), (1, 3))


def test_one_domain_has_no_neighbours():
    assert nearest_domains(np.zeros((5, 2)), np.zeros(5, int), 1) == ()


def test_equal_domains_are_joined_all_the_same():
    z = np.tile(np.random.default_rng(0).standard_normal((50, 2)), (3, 1))
    assert len(nearest_domains(z, np.repeat(np.arange(3), 50), 3)) == 2


@pytest.mark.parametrize("m", [1, 2, 5])
def test_frechet_distance_of_commuting_gaussians(m):
    rng = np.random.default_rng(m)
    Q = ortho_group.rvs(m, random_state=0) if m > 1 else np.eye(1)
    a, b, mean = rng.uniform(0.5, 2, m), rng.uniform(0.5, 2, m), rng.standard_normal(m)
    found = frechet_distance(mean, Q @ np.diag(a) @ Q.T, np.zeros(m), Q @ np.diag(b) @ Q.T)
    assert found == pytest.approx((mean**2).sum() + ((a**0.5 - b**0.5) ** 2).sum())


def test_constant_codes_have_a_distance_too():
    zero = np.zeros((2, 2))
    assert frechet_distance(np.zeros(2), zero, np.ones(2), zero) == 2
    assert frechet_distance(np.zeros(2), np.eye(2), np.zeros(2), zero) == pytest.approx(2)
