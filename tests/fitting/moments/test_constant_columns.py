"""A column that never varies in one domain: answers stay near what was seen."""

import numpy as np
import pytest

from elsewhere.fitting.moments.constant_columns import varied
from elsewhere.fitting.moments.estimate import affine_map

pytestmark = pytest.mark.fast


def tables(seed=0):
    """Two correlated columns; the second is 12 in every row of "lake"."""
    rng = np.random.default_rng(seed)
    made = {}
    for d, offset in {"hill": 0.0, "town": 1.0, "lake": 2.0}.items():
        u = rng.normal(size=(120, 1))
        made[d] = np.c_[u[:, 0] + offset, 12 + 0.3 * (u[:, 0] + rng.normal(size=120))]
    made["lake"][:, 1] = 12.0
    return made


def test_rows_of_the_domain_where_it_is_constant_stay_within_what_was_seen():
    data = tables()
    model = affine_map(data)
    answer = model.move(data["lake"], d="lake", d_prime="hill")
    assert np.abs(answer[:, 1] - 12).max() < 0.5
    back = model.move(data["hill"], d="hill", d_prime="lake")
    np.testing.assert_allclose(back[:, 1], data["hill"][:, 1], atol=0.5)


def test_it_varies_as_elsewhere_about_its_value():
    data = tables()
    found = varied(data)
    assert found["hill"] is data["hill"]
    column = found["lake"][:, 1]
    assert abs(column.mean() - 12) < 1e-9
    assert 0.3 < column.std() < 0.6  # 0.42 elsewhere
    with_other = np.corrcoef(found["lake"].T)[0, 1]
    assert 0.5 < with_other < 0.9  # 0.71 elsewhere
    np.testing.assert_array_equal(found["lake"][:, 0], data["lake"][:, 0])


def test_tables_that_vary_are_left_as_they_are():
    data = {d: t for d, t in tables().items() if d != "lake"}
    assert varied(data) is data
