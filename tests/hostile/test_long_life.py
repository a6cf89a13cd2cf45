"""Tables of many sizes share what is compiled, and padding changes no likelihood."""

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.fitting.profile import DEFAULT
from elsewhere.fitting.profile.axes.climb import one_hot
from elsewhere.fitting.profile.axes.profile import profile
from elsewhere.fitting.profile.problem import make_problem, pack, padded


@pytest.mark.fast
def test_a_size_is_at_most_a_quarter_more():
    sizes = [padded(n) for n in range(1, 5000)]
    assert all(n <= size <= max(1.25 * n, n + 1) for n, size in enumerate(sizes, 1))
    assert len({*sizes}) < 50


def test_padding_changes_no_likelihood():
    rng = np.random.default_rng(0)
    tables = {d: rng.standard_normal((n, 2)) for d, n in (("a", 37), ("b", 29))}
    problem = make_problem(tables, tables, 0.5, DEFAULT)
    assert (problem.rows.weights.shape[1], problem.count) == (padded(37), 37)
    axes, kinds = jnp.asarray(rng.standard_normal((2, 3))), one_hot(np.ones(2, int))
    rows = pack(problem.train), problem.rows
    values = [float(profile(axes, given, kinds, problem.kink, None)) for given in rows]
    assert abs(values[0] - values[1]) < 1e-5
