"""One more domain: found by its own rows, while every earlier answer stays the same number."""

import numpy as np
import pytest
from maps import random_map

from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.one_more import with_domain


def tables(p=3, rows=200):
    x = np.random.default_rng(0).standard_normal((2 * rows, p))
    x[rows:] += 1.0
    return {"a": x[:rows], "b": x[rows:]}


@pytest.mark.parametrize("rows", [1, 2, 3, 200])
@pytest.mark.parametrize("carried", [0.5, 1.0])
def test_earlier_answers_stay_to_the_last_bit(rows, carried):
    model = random_map(5, 2, 3, 0, carried)
    rng = np.random.default_rng(1)
    more = with_domain(model, "new", 4 + rng.standard_normal((rows, 5)))
    x = rng.standard_normal((7, 5))
    assert more.domains == ("a", "b", "c", "new")
    for d in model.domains:
        np.testing.assert_array_equal(more.noise(x, d=d), model.noise(x, d=d))
        np.testing.assert_array_equal(more.log_density(x, d=d), model.log_density(x, d=d))
        for e in model.domains:
            for name in ("move", "standard_error"):
                new, old = (getattr(m, name)(x, d=d, d_prime=e) for m in (more, model))
                np.testing.assert_array_equal(new, old)
        assert np.isfinite(more.move(x, d=d, d_prime="new")).all()


def test_its_offset_and_scale_are_found():
    x = tables()
    rows = 3.0 + 2.0 * np.random.default_rng(2).standard_normal((5_000, 3))
    more = with_domain(affine_map(x), "new", rows)
    moved = more.move(x["a"], d="a", d_prime="new")
    np.testing.assert_allclose(moved.mean(axis=0), rows.mean(axis=0), atol=0.3)
    np.testing.assert_allclose(moved.std(axis=0), 2.0, atol=0.25)
    back = more.move(moved, d="new", d_prime="a")
    np.testing.assert_allclose(back, x["a"], atol=1e-9)


def test_few_rows_say_little_and_are_less_certain():
    model, rng = affine_map(tables()), np.random.default_rng(3)
    rows = 1.5 + rng.standard_normal((400, 3))
    few, many = (with_domain(model, "new", rows[:n]) for n in (4, 400))
    x = tables()["a"]
    errors = [m.standard_error(x, d="a", d_prime="new").mean() for m in (few, many)]
    assert errors[0] > 2 * errors[1]
