"""Links that are chosen for many columns at once are those of the rule for one, to the bit."""

import numpy as np
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.choose_links import _suggested, choose_link, choose_links
from elsewhere.estimators.far_values import _away
from elsewhere.estimators.link_space import different_values
from elsewhere.estimators.links import Link
from elsewhere.estimators.zero_links import with_zeros

pytestmark = pytest.mark.fast
BEND, DECISIVE = 1 / 3, 150.0


def within(values, codes):
    counts = np.bincount(codes)
    means = np.bincount(codes, values) / counts
    return float(np.sqrt(np.mean((values - means[codes]) ** 2))) or 1.0


def pad(x, whole):
    if whole:
        return 0.5
    least = x[x > 0].min(initial=np.inf)
    return 0.5 * float(least) if (x == 0).any() else 0.0


def one_by_one(name, x, codes):
    """The rule for a column that is not bounded, as its definition reads."""
    whole = bool((x == np.rint(x)).all())
    kind, _ = _suggested(name, x.min(), x.max(), whole, capped=False)
    if kind == "bounded" or (kind == "positive" and with_zeros(x[None], codes)[0]):
        return choose_link(name, x, codes, "auto")
    if kind == "identity":
        return Link(whole=whole).standardised(x)
    bend = min(BEND * (float(x.min()) + pad(x, whole)), within(x, codes))
    soft = Link("softplus", 0.0, pad=pad(x, whole), bend=bend, whole=whole).standardised(x)
    log = Link("log", 0.0, pad=pad(x, whole), whole=whole).standardised(x)

    def fit(link):
        return float(link.log_slope(x).mean() - np.log(within(link.forward(x), codes)))

    return log if len(x) * (fit(log) - fit(soft)) > DECISIVE else soft


def columns(n, seed=0):
    """Unbounded, positive, skewed, with zeros, whole, tiny, near 1e6 and bounded columns."""
    rng = np.random.default_rng(seed)
    shape = (n, 12)
    kinds = (
        rng.standard_normal(shape),
        np.exp(rng.standard_normal(shape)),
        np.exp(3 * rng.standard_normal(shape)),
        np.where(rng.random(shape) < 0.3, 0, rng.gamma(0.3, size=shape)),
        rng.poisson(5, shape).astype(float),
        np.rint(rng.standard_normal(shape)),
        1e-9 * rng.gamma(2, size=shape),
        1e6 + rng.random(shape),
        rng.random(shape),
    )
    return np.concatenate(kinds, axis=1)


@pytest.mark.parametrize("n", [40, 301, 4_001])
def test_many_at_once_are_as_one_by_one(n):
    x, codes = columns(n), np.arange(n) % 3
    names = [f"c{j}" for j in range(x.shape[1])]
    found = choose_links(names, x, codes, "auto")
    assert found == tuple(one_by_one(*pair, codes) for pair in zip(names, x.T, strict=True))
    assert {"identity", "softplus", "logit"} <= {link.shape for link in found}
    assert n < 100 or "log" in {link.shape for link in found}


def test_columns_with_gaps_and_columns_that_were_asked_for_keep_their_place():
    x, codes = columns(60), np.arange(60) % 2
    x[3, 5] = np.nan
    names = [f"c{j}" for j in range(x.shape[1])]
    found = choose_links(names, x, codes, {"c20": "identity"})
    there = ~np.isnan(x[:, 5])
    assert found[5] == one_by_one("c5", x[there, 5], codes[there])
    assert found[20] == Link().standardised(x[:, 20])
    assert found[21] == one_by_one("c21", x[:, 21], codes)


def test_different_values_do_not_count_gaps():
    x = np.array([[1.0, np.nan, 2.0], [1.0, 3.0, -0.0], [2.0, np.nan, 0.0]])
    assert different_values(x) == [2, 1, 2]


def test_distances_from_the_middle_are_those_of_each_column():
    x = columns(50)[:, :24]
    x[7, 2], x[:, 3] = np.nan, 4.0
    links = [Link().standardised(np.nan_to_num(c)) for c in x.T]
    away = _away(links, x)
    for link, column, found in zip(links, x.T, away.T, strict=True):
        y = link.forward(column)
        low, middle, high = np.quantile(y, [0.1, 0.5, 0.9])
        expected = np.abs(y - middle) / (high - low) if high > low else np.zeros_like(y)
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("scales", [(0.01, 0.01, 2.0), (0.01, 2.0, 2.0)])
def test_columns_share_the_unit_that_most_of_them_have(scales):
    """Sums as they are, ratios by their logarithms: what most columns are is what counts."""
    x = np.exp(np.random.default_rng(0).standard_normal((200, 3)) * scales)
    space = DomainCounterfactual().plan(x, np.repeat(["a", "b"], 100))
    shapes = np.array([link.shape for link in space.links])
    assert sorted(shapes) == sorted("log" if scale > 1 else "softplus" for scale in scales)
    counted = shapes == ("softplus" if scales[1] < 1 else "log")
    expected = [link.unit if c else np.inf for link, c in zip(space.links, counted, strict=True)]
    np.testing.assert_array_equal(space.units.shared, expected)


def test_the_zero_of_a_positive_column_is_where_its_values_lead():
    """h(x) = x + pad well above the bend, so that 0 is at (pad − centre)/unit; others have none."""
    x = np.random.default_rng(1).normal([50.0, 0.0], [3.0, 1.0], (200, 2))
    space = DomainCounterfactual().plan(x, np.repeat(["a", "b"], 100))
    link = space.links[0]
    np.testing.assert_allclose(
        space.units.zeros[0], link.forward(np.array([40.0]))[0] - 40 / link.unit, rtol=1e-6
    )
    assert np.isnan(space.units.zeros[1])
