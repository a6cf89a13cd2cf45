"""Maps by moments that pairs correct."""

import numpy as np
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.fitting.moments.corrected import by_column
from elsewhere.fitting.moments.estimate import affine_map


def world(seed, n=40, p=6):
    """Tables whose case mix differs by chance, and pairs that say so."""
    rng = np.random.default_rng(seed)
    mixing, gain, shift = (
        rng.normal(size=(2, p)),
        np.exp(0.3 * rng.normal(size=p)),
        rng.normal(size=p),
    )
    draw = lambda k: 2 * rng.normal(size=(k, 2)) @ mixing + 0.3 * rng.normal(size=(k, p))  # noqa: E731
    return draw, lambda x: shift + gain * x


def errors(seed, count):
    draw, there = world(seed)
    x, y, shown = draw(40), there(draw(40)), draw(max(count, 1))
    labels = np.repeat(["a", "b"], 40)
    pairs = [("a", "b", shown, there(shown))] if count else None
    model = DomainCounterfactual(links="identity").fit(np.concatenate([x, y]), labels, pairs=pairs)
    answer = model.counterfactual(x, source="a", target="b")
    return float((((answer - there(x)) / y.std(axis=0)) ** 2).mean())


def test_the_more_pairs_the_closer():
    none, few, many = (np.mean([errors(seed, n) for seed in range(6)]) for n in (0, 3, 12))
    assert few < 0.7 * none
    assert many < 0.3 * none


def test_both_directions_are_corrected_and_other_domains_are_not():
    draw, there = world(0)
    tables = {"a": draw(30), "b": there(draw(30)), "c": draw(30) + 1}
    shown, labels = draw(8), np.repeat(list(tables), 30)
    rows = np.concatenate(list(tables.values()))
    plain = DomainCounterfactual(links="identity").fit(rows, labels)
    fitted = DomainCounterfactual(links="identity").fit(
        rows, labels, pairs=("a", "b", shown, there(shown))
    )
    back = fitted.counterfactual(there(shown), source="b", target="a")
    before = plain.counterfactual(there(shown), source="b", target="a")
    assert ((back - shown) ** 2).mean() < ((before - shown) ** 2).mean()
    same = fitted.counterfactual(shown, source="a", target="c")
    np.testing.assert_array_equal(same, plain.counterfactual(shown, source="a", target="c"))
    assert fitted.result_.explanations[-1].name == "pairs"


def test_a_corrected_model_is_saved_whole(tmp_path):
    draw, there = world(1)
    rows, shown = np.concatenate([draw(30), there(draw(30))]), draw(20)
    model = DomainCounterfactual(links="identity").fit(
        rows, np.repeat(["a", "b"], 30), pairs=("a", "b", shown, there(shown))
    )
    again = DomainCounterfactual.load(model.save(tmp_path / "a.model"))
    asked = {"source": "a", "target": "b"}
    np.testing.assert_array_equal(
        model.counterfactual(shown, **asked), again.counterfactual(shown, **asked)
    )
    low, high = again.interval(shown, **asked)
    assert (low <= high).all()


def test_by_column_is_the_posterior_of_two_parameters():
    rng = np.random.default_rng(2)
    u = rng.normal(size=(7, 1))
    y = 0.4 + 0.2 * u + 0.1 * rng.normal(size=(7, 1))
    a, b, noise = by_column(u, y, np.array([0.5]), np.array([0.3]))
    design = np.c_[np.ones(7), u]
    precision = design.T @ design / noise + np.diag([1 / 0.5, 1 / 0.3])
    expected = np.linalg.solve(precision, design.T @ y[:, 0] / noise)
    assert [a[0], b[0]] == pytest.approx(expected, rel=1e-3)


def test_a_turn_that_unpaired_rows_cannot_show_is_found():
    rng = np.random.default_rng(3)
    draw = lambda k: rng.normal(size=(k, 3))  # noqa: E731
    turned = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # spherical rows look alike in both
    rows, shown, new = np.concatenate([draw(60), draw(60) @ turned]), draw(12), draw(50)
    fit = DomainCounterfactual(links="identity").fit
    fitted = fit(rows, np.repeat(["a", "b"], 60), pairs=("a", "b", shown, shown @ turned))
    answer = fitted.counterfactual(new, source="a", target="b")
    assert ((answer - new @ turned) ** 2).mean() < 0.02


def test_errors_of_pairs():
    draw, there = world(4)
    rows, labels = np.concatenate([draw(20), there(draw(20))]), np.repeat(["a", "b"], 20)
    fit = DomainCounterfactual(links="identity").fit
    with pytest.raises(ValueError, match="two domains"):
        fit(rows, labels, pairs=("a", "a", rows[:3], rows[:3]))
    with pytest.raises(ValueError, match="0 sample"):
        fit(rows, labels, pairs=("a", "b", rows[:0], rows[:0]))
    assert affine_map({"a": rows[:20], "b": rows[20:]}).domains == ("a", "b")
