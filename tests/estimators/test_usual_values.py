import numpy as np
import pandas as pd
import pytest

from elsewhere import DomainCounterfactual
from elsewhere.estimators.choose_links import choose_link
from elsewhere.estimators.usual_values import usual_ranges

pytestmark = pytest.mark.fast
RNG = np.random.default_rng(5)
CODES = np.arange(60) % 2


def highest(x):
    return float(usual_ranges(np.array([x]), CODES)[2][0])


class TestRanges:
    def test_a_typing_error_counts_as_the_largest_usual_value(self):
        wages = 250 + 25 * RNG.normal(size=60)
        wages[7] = 2_177
        assert highest(wages) == np.sort(wages)[-2]

    @pytest.mark.parametrize(
        "x",
        [
            RNG.normal(size=60),
            RNG.exponential(size=60),
            np.exp(1.5 * RNG.normal(size=60)),  # sizes: the largest is many times the next
            np.round(RNG.normal(size=60)),
            np.repeat([0.0, 1.0], 30),
            np.zeros(60),
        ],
    )
    def test_usual_values_count_as_they_are(self, x):
        assert not np.isfinite(usual_ranges(np.array([x]), CODES)).any()

    def test_exact_worlds_of_many_rows_lose_nothing(self):
        laplace = RNG.laplace(size=(4, 15_000))
        ends = usual_ranges(laplace, np.arange(15_000) % 3)
        beyond = (laplace < ends[0][:, None]) | (laplace > ends[3][:, None])
        assert beyond.sum() < 4

    def test_both_ends_of_a_column_with_a_sign(self):
        x = RNG.normal(size=60)
        x[3], x[4] = -90, 80
        too_low, lowest, highest, too_high = usual_ranges(np.array([x]), CODES)[:, 0]
        assert (lowest, highest) == (np.sort(x)[1], np.sort(x)[-2])
        assert -9 < too_low < lowest < highest < too_high < 9

    def test_domains_far_apart_are_no_outliers(self):
        x = RNG.normal(size=60)
        x[0] += 1_000
        codes = (np.arange(60) == 0).astype(int)
        assert not np.isfinite(usual_ranges(np.array([x]), codes)).any()

    def test_gaps_do_not_matter(self):
        x = 250 + 25 * RNG.normal(size=60)
        x[7], x[20:30] = 2_177, np.nan
        assert highest(x) == np.sort(x[~np.isnan(x)])[-2]


class TestLinks:
    @pytest.mark.parametrize("spec", ["identity", "positive"])
    def test_a_link_that_is_asked_for_takes_values_as_they_are(self, spec):
        x = 250 + 25 * RNG.normal(size=60)
        x[7] = 2_177
        assert choose_link("x", x, CODES, "auto").highest < 420
        assert choose_link("x", x, CODES, spec).highest == np.inf

    def test_forward_is_flat_beyond(self):
        x = 250 + 25 * RNG.normal(size=60)
        x[7] = 2_177
        link = choose_link("x", x, CODES, "auto")
        far = link.forward(np.array([link.highest, 2_177, 1e6]))
        assert (far == far[0]).all()
        assert link.log_slope(np.array([2_177.0])) == link.log_slope(np.array([link.highest]))


def two_sites(offset):
    rng = np.random.default_rng(3)
    rows = 250 + 25 * rng.normal(size=(80, 2))
    rows[5, 0] = 2_177
    site = np.repeat(["a", "b"], 40)
    rows[site == "b"] += offset
    return pd.DataFrame(rows, columns=["wage", "rent"]), site


class TestAnswers:
    def test_an_outlier_moves_to_where_the_others_are(self):
        X, site = two_sites(60)
        model = DomainCounterfactual().fit(X, site)
        answer = model.counterfactual(X, source=site, target="b")
        assert answer["wage"][5] < 500
        assert any("2177" in note for note in model.notes_)
        same = model.counterfactual(X.iloc[:40], source="a", target="a")
        pd.testing.assert_frame_equal(same, X.iloc[:40])

    def test_where_nothing_differs_it_stays(self):
        X, site = two_sites(0)
        model = DomainCounterfactual().fit(X, site)
        answer = model.counterfactual(X, source="a", target="b")
        pd.testing.assert_frame_equal(answer, X)

    def test_saved_and_loaded(self, tmp_path):
        X, site = two_sites(60)
        model = DomainCounterfactual().fit(X, site)
        model.save(tmp_path / "m.model")
        again = DomainCounterfactual.load(tmp_path / "m.model")
        asked = {"source": site, "target": "b"}
        pd.testing.assert_frame_equal(
            again.counterfactual(X, **asked), model.counterfactual(X, **asked)
        )

    def test_through_one_domain_or_two(self):
        X, site = two_sites(60)
        third = X.iloc[40:].assign(wage=lambda t: 1.1 * t["wage"]) - 20
        X, site = pd.concat([X, third], ignore_index=True), [*site, *["c"] * 40]
        model = DomainCounterfactual().fit(X, site)
        direct = model.counterfactual(X.iloc[:40], source="a", target="c")
        first = model.counterfactual(X.iloc[:40], source="a", target="b")
        both = model.counterfactual(first, source="b", target="c")
        np.testing.assert_allclose(both, direct, rtol=0.02)
