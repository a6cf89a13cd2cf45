"""Crossed domains: what adds up, what does not, and combinations that were never seen."""

import jax
import numpy as np
import pytest

from elsewhere.errors import DomainError
from elsewhere.estimators.crossing import crossing_of
from elsewhere.fitting import fit
from elsewhere.fitting.moments.combinations import Combinations
from elsewhere.fitting.moments.crossed import split_contrasts
from elsewhere.fitting.moments.unseen import with_combination

SITES, SCANNERS = {"A": 0.0, "B": 2.0, "C": -1.0}, {"1": 0.0, "2": 1.5}
STRETCH = {"A": 1.0, "B": 1.5, "C": 0.8, "1": 1.0, "2": 1.3}


@pytest.mark.fast
def test_thousands_of_combinations_without_rows_are_counted_and_not_tried():
    """One by one, those of 100 sites and 100 scanners would take minutes."""
    seen = tuple(f"s{i} × t{i}" for i in range(100))
    (note,) = crossing_of("site × scanner", seen).notes
    assert note.startswith("9,900 combinations of site and scanner without rows")


def made(u, site, scanner, interaction=0.0):
    """a_site + b_scanner + s_site s_scanner u: the truth, in closed form."""
    stretch = np.array([STRETCH[site] * STRETCH[scanner], 1.0])
    return stretch * u + np.array([SITES[site] + SCANNERS[scanner] + interaction, 0.0])


def tables(counts, interaction=0.0, seed=0):
    """Rows of every combination that has any; the interaction is that of B × 2."""
    rng = np.random.default_rng(seed)
    return {
        f"{s} × {k}": made(rng.normal(size=(n, 2)), s, k, interaction * ((s, k) == ("B", "2")))
        for (s, k), n in counts.items()
        if n
    }


def all_but(site, scanner, n=150, few=0):
    """n rows of every combination, and few of one."""
    return {(s, k): few if (s, k) == (site, scanner) else n for s in SITES for k in SCANNERS}


def fitted(data, engine="crossed"):
    return fit(jax.random.key(0), data, k="auto", engine=engine)


@pytest.mark.fast
def test_with_as_many_rows_in_each_combination_what_adds_up_is_row_mean_plus_column_mean():
    y = np.random.default_rng(1).normal(size=(3, 2, 4))
    labels = tuple(f"{s} × {k}" for s in "abc" for k in "de")
    adds, rest = split_contrasts(np.full(6, 7.0), Combinations(labels))
    truth = y.mean(axis=1, keepdims=True) + y.mean(axis=0, keepdims=True) - 2 * y.mean(axis=(0, 1))
    flat = y.reshape(6, 4)
    np.testing.assert_allclose(adds.back(adds.of(flat)), truth.reshape(6, 4), atol=1e-12)
    left = flat - flat.mean(axis=0) - truth.reshape(6, 4)
    np.testing.assert_allclose(rest.back(rest.of(flat)), left, atol=1e-12)
    np.testing.assert_allclose(adds.variances, 1 / 7)
    np.testing.assert_allclose(rest.variances, 1 / 7)


@pytest.mark.fast
def test_both_parts_together_are_the_differences_whatever_the_numbers_of_rows():
    labels = ("a × d", "a × e", "b × d", "c × e", "c × d")
    y, counts = np.random.default_rng(2).normal(size=(5, 3)), np.array([3.0, 50.0, 8.0, 1.0, 200.0])
    adds, rest = split_contrasts(counts, Combinations(labels))
    total = adds.back(adds.of(y)) + rest.back(rest.of(y))
    np.testing.assert_allclose(total - total.mean(axis=0), y - y.mean(axis=0), atol=1e-10)
    np.testing.assert_allclose(adds.reads @ np.diag(1 / counts) @ rest.reads.T, 0, atol=1e-12)


@pytest.mark.fast
def test_labels_of_one_part_are_fitted_as_by_moments():
    rng = np.random.default_rng(3)
    data = {d: rng.normal(i, 1, (40, 3)) for i, d in enumerate("xyz")}
    one, other = (fitted(data, engine).model for engine in ("crossed", "moments"))
    x = data["x"]
    np.testing.assert_allclose(
        one.move(x, d="x", d_prime="z"), other.move(x, d="x", d_prime="z"), atol=1e-9
    )


@pytest.fixture(scope="module")
def result():
    """Of all combinations but C × 2."""
    return fitted(tables(all_but("C", "2")))


def test_a_combination_never_seen_is_what_its_parts_add_up_to(result):
    seen = Combinations(result.model.domains)
    model = with_combination(result.model, "C × 2", seen)
    u = np.random.default_rng(5).normal(size=(200, 2))
    x, truth = made(u, "A", "1"), made(u, "C", "2")
    answer = model.move(x, d="A × 1", d_prime="C × 2")
    error = model.standard_error(x, d="A × 1", d_prime="C × 2")
    assert np.sqrt(((answer - truth) ** 2).mean()) < 0.25
    assert (np.abs(answer - truth) < 1.645 * error).mean() > 0.9
    known = model.standard_error(x, d="A × 1", d_prime="C × 1")
    assert error[:, 0].mean() > 1.5 * known[:, 0].mean()


def test_effects_that_add_up_have_no_interaction(result):
    said = {e.name: e for e in result.explanations}
    assert not said["interactions"].used
    left = Combinations(result.model.domains).left_over @ result.model.scales.means
    np.testing.assert_allclose(left, 0, atol=1e-9)


def test_an_interaction_that_rows_show_is_used():
    found = fitted(tables(all_but("C", "2", few=150), interaction=2.0))
    assert {e.name: e.used for e in found.explanations}["interactions"]
    x = made(np.zeros((1, 2)), "A", "1")
    answer = found.model.move(x, d="A × 1", d_prime="B × 2")[0, 0]
    assert abs(answer - 5.5) < 0.4  # 2 + 1.5 + 2


def test_a_combination_of_few_rows_borrows_from_its_site_and_its_scanner():
    errors = {"crossed": [], "moments": []}
    u = np.random.default_rng(6).normal(size=(100, 2))
    for seed in range(3):
        data = tables(all_but("C", "2", n=60, few=3), seed=seed)
        for engine, found in errors.items():
            model = fitted(data, engine).model
            answer = model.move(made(u, "A", "1"), d="A × 1", d_prime="C × 2")
            found.append(np.sqrt(((answer - made(u, "C", "2")) ** 2).mean()))
    assert np.mean(errors["crossed"]) < 0.7 * np.mean(errors["moments"])


@pytest.mark.fast
def test_what_nothing_links_is_refused():
    seen = Combinations(("A × 1", "B × 2"))
    assert not seen.tells("A × 2")
    with pytest.raises(DomainError, match="cannot be answered"):
        seen.weights("A × 2")


@pytest.mark.fast
def test_every_label_has_as_many_parts():
    with pytest.raises(ValueError, match="as many parts"):
        fitted({"A × 1": np.zeros((3, 1)), "B": np.ones((3, 1))})
