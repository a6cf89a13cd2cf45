"""Two columns of domains: every way to name a combination, seen or not."""

import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.errors import DomainError

SITES, SCANNERS = {"A": 0.0, "B": 2.0, "C": -1.0}, {1: 0.0, 2: 1.5}


def table(n=60, seed=0):
    """(rows, their site and scanner, what a row is without them); C × 2 is not there."""
    rng = np.random.default_rng(seed)
    seen = [(s, k) for s in SITES for k in SCANNERS if (s, k) != ("C", 2)]
    D = pd.DataFrame([one for one in seen for _ in range(n)], columns=["site", "scanner"])
    u = rng.normal(size=(len(D), 2))
    shift = D["site"].map(SITES) + D["scanner"].map(SCANNERS)
    X = pd.DataFrame({"a": u[:, 0] + shift, "b": u.sum(axis=1)})
    return X, D, u[:, 0]


@pytest.fixture(scope="module")
def fitted():
    X, D, _ = table()
    return DomainCounterfactual().fit(X, D)


def test_a_fit_to_two_columns_has_their_combinations(fitted):
    assert fitted.domains_ == ("A × 1", "A × 2", "B × 1", "B × 2", "C × 1")
    assert fitted.domain_name_ == "site × scanner"
    assert any("'C × 2': they can be asked for" in note for note in fitted.notes_)


@pytest.mark.fast
def test_a_combination_never_seen_can_be_named_in_every_way(fitted):
    X, D, u = table()
    answer = fitted.counterfactual(X, D, {"site": "C", "scanner": 2})
    assert np.abs(answer["a"] - (u + 0.5)).max() < 0.6
    others = [("C", 2), "C × 2", D.assign(site="C", scanner=2), np.array([["C", "2"]] * len(D))]
    for target in others:
        pd.testing.assert_frame_equal(fitted.counterfactual(X, D.to_numpy(), target), answer)
    low, high = fitted.interval(X, source=D, target=("C", 2))
    near, far = fitted.interval(X, source=D, target=("B", 2))
    moved = (D["site"] + D["scanner"].astype(str) != "B2").to_numpy()
    assert ((low["a"] < u + 0.5) & (u + 0.5 < high["a"])).mean() > 0.9
    assert ((high - low)["a"][moved] > (far - near)["a"][moved]).all()


@pytest.mark.fast
def test_a_part_alone_leaves_the_other_as_it_is(fitted):
    X, D, u = table()
    answer = fitted.counterfactual(X, D, {"scanner": 1})
    assert np.abs(answer["a"] - (u + D["site"].map(SITES))).max() < 0.5
    stays = D["scanner"] == 1
    pd.testing.assert_frame_equal(answer[stays], X[stays])


@pytest.mark.fast
def test_rows_may_come_from_a_combination_never_seen(fitted):
    answer = fitted.counterfactual(pd.DataFrame({"a": [0.5], "b": [0.0]}), ("C", 2), ("A", 1))
    assert abs(answer["a"][0]) < 0.5


@pytest.mark.fast
@pytest.mark.parametrize(
    ("target", "words"),
    [
        (("Z", 2), r"site must be one of \['A', 'B', 'C'\]"),
        ({"skanner": 2}, "names columns of"),
        ("B", "another combination of site and scanner"),
    ],
)
def test_what_is_not_known_is_named(fitted, target, words):
    X, D, _ = table()
    with pytest.raises(DomainError, match=words):
        fitted.counterfactual(X, D, target)


@pytest.mark.fast
def test_a_file_answers_alike(fitted, tmp_path):
    X, D, _ = table()
    loaded = DomainCounterfactual.load(fitted.save(tmp_path / "a.model"))
    pd.testing.assert_frame_equal(
        loaded.counterfactual(X, D, ("C", 2)), fitted.counterfactual(X, D, ("C", 2))
    )


def test_covariates_and_gaps_go_along():
    X, D, u = table(n=40)
    age = np.random.default_rng(1).normal(50, 10, len(X))
    X["a"] += 0.1 * age
    X.loc[::9, "b"] = np.nan
    kept = pd.DataFrame({"age": age})
    fitted = DomainCounterfactual().fit(X, D, covariates=kept)
    answer = fitted.counterfactual(X, D, ("C", 2), covariates=kept)
    assert np.abs(answer["a"] - (u + 0.5 + 0.1 * age)).max() < 0.9
    assert answer["b"].isna().equals(X["b"].isna())
    assert fitted.counterfactual(X, D, ("C", 2), covariates=kept, fill=True).notna().all(axis=None)


def test_site_and_scanner_that_are_one_are_said_to_be():
    X, D, _ = table()
    one = (D["site"] == "A") & (D["scanner"] == 1) | (D["site"] == "B") & (D["scanner"] == 2)
    fitted = DomainCounterfactual().fit(X[one], D[one])
    assert any("site and scanner cannot be told apart" in note for note in fitted.notes_)
    with pytest.raises(DomainError, match="site and scanner cannot be told apart there"):
        fitted.counterfactual(X[one], D[one], ("A", 2))


@pytest.mark.fast
def test_an_arrow_batch_has_its_columns_of_domains_changed(fitted):
    pa = pytest.importorskip("pyarrow")
    X, D, _ = table(n=2)
    batch = pa.RecordBatch.from_pandas(pd.concat([D, X], axis=1))
    answer = fitted.mover({"site": "C", "scanner": 2})(batch)
    assert answer.schema == batch.schema
    assert {*answer["site"].to_pylist()} == {"C"}
    assert {*answer["scanner"].to_pylist()} == {2}
    expected = fitted.counterfactual(X, D, ("C", 2))["a"]
    np.testing.assert_allclose(answer["a"].to_numpy(), expected)


@pytest.mark.fast
@pytest.mark.parametrize(
    ("domains", "words"),
    [
        (np.full((4, 4), "x"), "1 to 3 columns"),
        (pd.DataFrame({"s": ["a", None, "b", "b"], "t": list("1212")}), "'s' has gaps"),
        (pd.DataFrame({"s": ["a × b", "c", "c", "c"], "t": list("1212")}), "Rename"),
    ],
)
def test_labels_that_will_not_do_are_named(domains, words):
    with pytest.raises(ValueError, match=words):
        DomainCounterfactual().fit(np.random.default_rng(0).normal(size=(4, 2)), domains)


def test_another_mixing_is_refused():
    X, D, _ = table(n=3)
    with pytest.raises(ValueError, match="need mixing 'auto'"):
        DomainCounterfactual(mixing="leaky").fit(X, D)


@pytest.mark.parametrize("count", [1, 3, 200])
def test_a_combination_that_comes_later_is_drawn_towards_what_its_parts_add_up_to(
    fitted, tmp_path, count
):
    X, D, u = table()
    fitted.save(tmp_path / "model")
    later = DomainCounterfactual.load(tmp_path / "model")
    rng = np.random.default_rng(1)
    rows = pd.DataFrame(rng.normal(size=(count, 2)), columns=["a", "b"]) + [0.5, 0.0]
    later.add_domain(rows, ("C", 2))
    assert later.domains_[-1] == "C × 2"
    answer = later.counterfactual(X, D, ("C", 2))
    assert np.abs(answer["a"] - (u + 0.5)).mean() < 0.5
    low, high = later.interval(X, source=D, target=("C", 2))
    assert ((low["a"] < u + 0.5) & (u + 0.5 < high["a"])).mean() > 0.8
    same = later.counterfactual(X, D, ("B", 2))
    pd.testing.assert_frame_equal(same, fitted.counterfactual(X, D, ("B", 2)))


def test_a_new_site_is_expected_to_be_as_the_others_on_its_scanner(fitted, tmp_path):
    seen = fitted.crossing_.seen
    means = np.array([0.0, 1.5, 2.0, 3.5, -1.0])  # of a in A1, A2, B1, B2, C1
    assert seen.expected("E × 2") @ means == pytest.approx(1 / 3 + 1.5)
    assert seen.expected("C × 2") @ means == pytest.approx(0.5)
    assert seen.expected("C") is None
