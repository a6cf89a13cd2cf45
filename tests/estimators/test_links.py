"""Links: increasing, invertible, and never an answer outside the column's range."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from elsewhere import DomainCounterfactual
from elsewhere.estimators.choose_links import choose_link, choose_links, with_room
from elsewhere.estimators.links import Link
from elsewhere.estimators.positive_links import DECISIVE

RNG = np.random.default_rng(0)
CODES = np.arange(200) % 2
COLUMNS = {
    "real": (RNG.normal(3, 2, 200), "auto", "identity"),
    "lognormal": (RNG.lognormal(0, 2, 200), "auto", "log"),
    "height": (RNG.normal(170, 10, 200), "auto", "softplus"),
    "with few zeros": (np.maximum(RNG.normal(1.6, 1, 200), 0), "auto", "softplus"),
    "share": (RNG.beta(0.5, 0.5, 200), "auto", "logit"),
    "share with ends": (np.clip(RNG.normal(0.5, 0.5, 200), 0, 1), "auto", "logit"),
    "count": (RNG.poisson(3, 200).astype(float), "auto", "softplus"),
    "signed count": (RNG.integers(-5, 6, 200).astype(float), "auto", "identity"),
    "score": (RNG.integers(0, 11, 200).astype(float), ("bounded", 0, 10), "logit"),
    "percent": (RNG.uniform(1, 99, 200), ("bounded", 0, 100), "logit"),
    "own range": (RNG.uniform(-3, 7, 200), "bounded", "logit"),
    "saturation": (np.minimum(RNG.normal(96, 3, 200), 100).round(1), "auto", "logit"),
}


@cache
def link_of(name):
    x, spec, _ = COLUMNS[name]
    return choose_link(name, x, CODES, spec), x


@pytest.mark.parametrize("name", COLUMNS)
def test_the_rule_finds_the_shape(name):
    link, x = link_of(name)
    assert link.shape == COLUMNS[name][2]
    assert link.whole == bool((x == np.rint(x)).all())
    y = link.forward(x)
    assert abs(y.mean()) < 1e-9
    assert y.std() == pytest.approx(1)


def test_a_largest_value_of_100_alone_is_no_ceiling():
    x = np.minimum(np.random.default_rng(1).normal(80, 5, 200), 99.0)
    x[:2] = 100.0
    assert choose_link("weight", x, CODES, "auto").shape == "softplus"
    x[:3] = 100.0
    assert choose_link("weight", x, CODES, "auto").shape == "logit"
    (together,) = choose_links(["weight"], x[:, None], CODES, "auto")
    assert together.high == 100


@pytest.mark.parametrize("name", COLUMNS)
def test_there_and_back(name):
    link, x = link_of(name)
    np.testing.assert_allclose(link.inverse(link.forward(x)), x, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", COLUMNS)
def test_the_slope_is_the_derivative(name):
    link, x = link_of(name)
    inside = x[np.minimum(x - link.low, link.high - x) > 1e-3]
    step = 1e-6
    difference = link.forward(inside + step) - link.forward(inside - step)
    np.testing.assert_allclose(np.log(difference / (2 * step)), link.log_slope(inside), atol=1e-3)


@pytest.mark.parametrize("name", COLUMNS)
@given(
    y=st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=5),
    dtype=st.sampled_from([np.float64, np.float32, np.int64, np.int8, np.uint8]),
)
def test_answers_stay_valid_whatever_the_model_says(name, dtype, y):
    link, _ = link_of(name)
    answer = link.inverse(np.array(y), dtype)
    assert answer.dtype == dtype
    assert np.isfinite(answer).all()
    if np.dtype(dtype).kind == "f":
        assert link.allows(answer.astype(float)).all()
    else:
        assert (answer >= link.low).all()
        assert (answer <= link.high).all()
    assert not link.whole or (answer == np.rint(answer)).all()


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    u=st.lists(st.floats(0.001, 0.999), min_size=3, max_size=30, unique=True),
)
def test_bounded_by_any_bounds(low, width, u):
    x = low + width * np.array(u)
    link = choose_link("x", x, np.zeros(len(x), int), ("bounded", low, low + width))
    y = link.forward(x)
    assert (np.diff(y[np.argsort(x)]) > 0).all()
    np.testing.assert_allclose(link.inverse(y), x, rtol=1e-6, atol=1e-6 * width)


@given(scale=st.floats(1e-6, 1e6), shift=st.floats(-1e6, 1e6))
def test_the_identity_does_not_depend_on_units(scale, shift):
    x = COLUMNS["real"][0]
    same = choose_link("x", x, CODES, "identity").forward(x)
    other = choose_link("x", scale * x + shift, CODES, "identity").forward(scale * x + shift)
    np.testing.assert_allclose(other, same, atol=1e-9 * (1 + abs(shift) / scale))


def nats_that_a_logarithm_gains(x, codes):
    """Of lognormal over normal rows, each domain with a mean of its own, all with one deviation."""
    by_domain = [x[codes == d] for d in np.unique(codes)]
    normal, lognormal = (
        np.concatenate([part - part.mean() for part in parts])
        for parts in (by_domain, [np.log(part) for part in by_domain])
    )
    densities = norm.logpdf(normal, 0, normal.std()), norm.logpdf(lognormal, 0, lognormal.std())
    return (densities[1] - np.log(np.concatenate(by_domain)) - densities[0]).sum()


@pytest.mark.parametrize(("spread", "shape"), [(0.9, "log"), (0.3, "softplus")])
def test_no_logarithm_where_one_domain_spreads_otherwise(spread, shape):
    """Counts that one domain cuts off: to move back they would be raised to a power."""
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.lognormal(3, 1.0, 2_000), rng.lognormal(1, spread, 2_000)])
    assert choose_link("cites", x, np.repeat([0, 1], 2_000), "auto").shape == shape


def test_a_logarithm_where_every_domain_by_itself_insists():
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.lognormal(3, 1.4, 2_000), rng.lognormal(1, 0.6, 2_000)])
    assert choose_link("price", x, np.repeat([0, 1], 2_000), "auto").shape == "log"


@pytest.mark.parametrize(
    ("rows", "shape"), [(100, "softplus"), (400, "softplus"), (1_600, "log"), (4_000, "log")]
)
def test_a_logarithm_needs_rows_that_insist(rows, shape):
    x, codes = np.random.default_rng(1).lognormal(3, 0.5, rows), np.arange(rows) % 2
    gain = nats_that_a_logarithm_gains(x, codes)
    assert (gain > 1.3 * DECISIVE) == (shape == "log")
    assert (gain < 0.7 * DECISIVE) == (shape == "softplus")
    assert choose_link("x", x, codes, "auto").shape == shape
    assert choose_link("x", 1e6 * x, codes, "positive").shape == shape


def test_an_offset_between_domains_is_no_reason_for_a_logarithm():
    rng, codes = np.random.default_rng(2), np.arange(3_000) % 2
    x = 20 + 40 * codes + rng.standard_normal(3_000)  # far from normal, but only all together
    assert choose_link("x", x, codes, "auto").shape == "softplus"


def test_far_above_its_bound_softplus_is_the_identity():
    link, x = link_of("height")
    straight = choose_link("x", x, CODES, "identity")
    np.testing.assert_allclose(link.forward(x), straight.forward(x), atol=1e-5)


@pytest.mark.parametrize(
    ("x", "spec", "message"),
    [
        ([1.0, -2.0], "positive", "is 'positive', but the column holds -2"),
        ([1.0, 2.5], "integer", "is 'integer', but the column holds 2.5"),
        (
            [1.0, 2.5],
            ("bounded", 0, 2),
            "is bounded by 0 and 2, but the column holds values from 1",
        ),
        ([1.0, 2.5], ("bounded", 3, 2), "Give bounds that contain them"),
        ([1.0, 2.5], "cubic", "must be one of"),
        ([1.0, 2.5], ("positive", 0, 2), "must be one of"),
    ],
)
def test_what_cannot_be_is_refused(x, spec, message):
    with pytest.raises(ValueError, match=message):
        choose_link("age", np.array(x), np.array([0, 1]), spec)


def test_links_of_columns_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match=r"links must name columns of X; got \['c'\]"):
        choose_links(["a", "b"], np.eye(2), np.array([0, 1]), {"c": "positive"})


def test_words():
    assert str(Link()) == "unbounded"
    assert str(link_of("score")[0]) == "whole numbers, within 0 … 10"


def test_links_leave_room_for_other_rows():
    x = np.stack([COLUMNS[name][0] for name in ("lognormal", "share", "height", "real")], axis=1)
    others = np.array([[-0.5, 1.2, 165.0, 9.0]])
    assert with_room("auto", "abcd", x, []) == "auto"
    found = with_room("auto", "abcd", x, [others])
    assert found == {"a": "identity", "b": "positive", "c": "auto", "d": "auto"}
    assert with_room({"a": "positive"}, "abcd", x, [others])["a"] == "positive"


def test_a_pair_outside_the_range_of_the_table_is_taken():
    rng = np.random.default_rng(3)
    x = rng.lognormal(0, 0.5, (60, 2))
    standards = np.array([[0.5, 1.0], [-0.1, 2.0], [1.0, 0.7], [0.4, 0.6]])
    model = DomainCounterfactual(mixing="moments")
    model.fit(x, np.repeat(["a", "b"], 30), pairs=("a", "b", standards, standards + 0.1))
    assert [model.links_[j].shape for j in (0, 1)] == ["identity", "softplus"]
