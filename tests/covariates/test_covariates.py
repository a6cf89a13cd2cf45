"""Covariates that stay: case mix is no difference of domains, and what cannot be told is said."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from elsewhere.covariates import fit_covariates
from elsewhere.errors import AssumptionError
from elsewhere.estimators import DomainCounterfactual

SITES = np.array(["north", "south", "west"])


def patients(n=120, seed=0, *, gain=0.0, shift=1.0, sites=3):
    """(X, site, covariates, truth by site): sites differ in age and diagnosis, and by `shift`."""
    rng = np.random.default_rng(seed)
    site = np.repeat(np.arange(sites), n)
    age = 50 + 12 * (rng.standard_normal(len(site)) + site - 1)
    ill = rng.random(len(site)) < np.array([0.2, 0.5, 0.8])[site]
    means = np.outer(age / 12, [1.0, -1.0, 0.5, 0.0]) + np.outer(ill, [2.0, 0.0, -1.0, 1.0])
    rest = rng.standard_normal((len(site), 4))
    offsets = shift * rng.standard_normal((sites, 4))
    stretch = np.exp(gain * rng.standard_normal((sites, 4)))
    truth = [offsets[d] + stretch[d] * (means + rest) for d in range(sites)]
    X = pd.DataFrame(np.stack([truth[d][i] for i, d in enumerate(site)]), columns=list("abcd"))
    C = pd.DataFrame({"age": age, "diagnosis": np.where(ill, "ill", "well")})
    return X, pd.Series(SITES[site], name="site"), C, truth


@pytest.fixture(scope="module")
def shifted():
    X, site, C, truth = patients()
    fitted = DomainCounterfactual(mixing="moments").fit(X, site, covariates=C)
    return fitted, X, site, C, truth


def error(fitted, X, site, truth, **given):
    moved = fitted.counterfactual(X, source=site, target="west", **given)
    return float(((np.asarray(moved) - truth[2]) ** 2)[np.asarray(site) != "west"].mean())


def test_case_mix_is_not_taken_for_a_difference_of_sites(shifted):
    fitted, X, site, C, truth = shifted
    without = DomainCounterfactual(mixing="moments").fit(X, site)
    assert error(fitted, X, site, truth, covariates=C) < 0.1 * error(without, X, site, truth)


def test_sites_that_differ_in_their_mix_only_move_nothing():
    X, site, C, _ = patients(shift=0.0)
    fitted = DomainCounterfactual(mixing="moments").fit(X, site, covariates=C)
    moved = fitted.counterfactual(X, source=site, target="west", covariates=C)
    pd.testing.assert_frame_equal(moved, X)
    assert "nothing to harmonise" in " ".join(fitted.notes_)


@pytest.mark.parametrize("seed", range(3))
def test_hospitals_with_different_shares_of_malignant_cases_are_left_alone(seed):
    data = load_breast_cancer(as_frame=True)
    X, malignant = data.data.iloc[:, :5], (data.target == 0).rename("malignant")
    chance = np.where(malignant, 0.75, 0.25)
    hospital = np.where(np.random.default_rng(seed).random(len(X)) < chance, "north", "south")

    def moves(**given):
        fitted = DomainCounterfactual(mixing="moments").fit(X, hospital, **given)
        moved = fitted.counterfactual(X, source=hospital, target="south", **given)
        return ((moved - X) / X.std())[(hospital == "north") & malignant]

    assert moves()["mean radius"].mean() < -0.5
    assert np.abs(moves(covariates=malignant).mean()).max() < 0.05
    assert float((moves(covariates=malignant) ** 2).mean(axis=None)) < 0.15**2


def test_gains_stretch_what_covariates_do():
    X, site, C, truth = patients(gain=0.4)
    fitted = DomainCounterfactual(mixing="moments").fit(X, site, covariates=C)
    assert np.ptp(fitted.covariates_.effects.gains) > 0.3
    without = DomainCounterfactual(mixing="moments").fit(X, site)
    assert error(fitted, X, site, truth, covariates=C) < 0.1 * error(without, X, site, truth)


def test_the_way_there_and_on_is_the_way_itself(shifted):
    fitted, X, site, C, _ = shifted
    same = fitted.counterfactual(X, source=site, target=site, covariates=C)
    pd.testing.assert_frame_equal(same, X)
    first = fitted.counterfactual(X, source="north", target="south", covariates=C)
    then = fitted.counterfactual(first, source="south", target="west", covariates=C)
    at_once = fitted.counterfactual(X, source="north", target="west", covariates=C)
    np.testing.assert_allclose(then, at_once, atol=1e-9)


def test_an_interval_holds_the_truth(shifted):
    fitted, X, site, C, truth = shifted
    low, high = fitted.interval(X, source=site, target="west", covariates=C)
    others = np.asarray(site) != "west"
    inside = ((low <= truth[2]) & (truth[2] <= high)).to_numpy()[others].mean()
    assert 0.7 < inside <= 1


def test_density_noise_and_samples_need_covariates_too(shifted):
    fitted, X, site, C, _ = shifted
    eps = fitted.abduct(X, site, covariates=C)
    assert abs(float(eps.std()) - 1) < 0.1
    assert np.isfinite(fitted.log_prob(X, site, covariates=C)).all()
    old = fitted.sample(len(C), domain="west", covariates=C.assign(age=80.0))
    young = fitted.sample(len(C), domain="west", covariates=C.assign(age=30.0))
    assert old["a"].mean() > young["a"].mean() + 2
    for asked in (fitted.sample, fitted.log_prob, fitted.counterfactual):
        with pytest.raises(ValueError, match="covariates must be given"):
            asked(**_question(asked.__name__, X, site))


def _question(name, X, site):
    if name == "sample":
        return {"n": 3, "domain": "west"}
    more = {"source": site, "target": "west"} if name == "counterfactual" else {"domains": site}
    return {"X": X, **more}


def test_a_saved_fit_answers_the_same(shifted, tmp_path):
    fitted, X, site, C, _ = shifted
    again = DomainCounterfactual.load(fitted.save(tmp_path / "kept.model"))
    asked = {"source": site, "target": "west", "covariates": C}
    pd.testing.assert_frame_equal(
        again.counterfactual(X, **asked), fitted.counterfactual(X, **asked), check_exact=True
    )
    pd.testing.assert_frame_equal(again.interval(X, **asked)[0], fitted.interval(X, **asked)[0])
    assert again.notes_ == fitted.notes_
    assert again.covariates_.seen == fitted.covariates_.seen


def test_one_more_site_with_its_covariates():
    X, site, C, truth = patients()
    two = (site != "west").to_numpy()
    fitted = DomainCounterfactual(mixing="moments").fit(X[two], site[two], covariates=C[two])
    fitted.add_domain(X[~two], "west", covariates=C[~two])
    moved = fitted.counterfactual(X[two], source=site[two], target="west", covariates=C[two])
    assert float(((np.asarray(moved) - truth[2][two]) ** 2).mean()) < 0.3


def test_where_site_is_diagnosis_both_are_named_with_the_range_of_answers():
    X, site, C, _ = patients()
    same = C.assign(diagnosis=np.where(site == "north", "ill", "well"))
    two = (site != "west").to_numpy()
    with pytest.raises(AssumptionError, match="site and diagnosis cannot be separated") as caught:
        DomainCounterfactual(mixing="moments").fit(X[two], site[two], covariates=same[two])
    assert "every value of diagnosis occurs in one site only" in str(caught.value)
    assert "by 0 to" in str(caught.value)


def test_confounding_is_measured():
    _, site, C, _ = patients()
    codes = np.repeat(np.arange(3), 120)
    y = np.random.default_rng(0).standard_normal((360, 2))
    weak = fit_covariates(C.assign(age=y[:, 0] + y[:, 1])[["age"]], y, codes).confounding
    strong = fit_covariates(C.assign(age=30 * codes + C["age"]), y, codes).confounding
    assert weak.told < 0.5 < 0.8 < strong.told
    assert weak.inflation < 1.1 < 1.5 < strong.inflation
    assert dict(strong.by_covariate)["age"] > 0.7


def test_covariates_that_the_target_has_never_shown(shifted):
    fitted, X, _, C, _ = shifted
    known = fitted.covariates_
    ages = C.assign(age=np.where(np.arange(len(C)) < 5, 200.0, 50.0))
    assert known.unseen(ages, len(X), 2).sum() == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda C: C.assign(diagnosis="dead"), "level of the fit, .'ill', 'well'.; got .'dead'."),
        (lambda C: C.assign(age=np.nan), "'age' must not be missing"),
        (lambda C: C.assign(diagnosis=None), "'diagnosis' must not be missing; row 0 has none"),
        (lambda C: C[["age"]], "'diagnosis'. are missing"),
        (lambda C: C.assign(age="old"), "fitted as a number"),
        (lambda C: C[:5], "one row per row of X"),
    ],
    ids=["level", "number", "category", "column", "kind", "length"],
)
def test_what_will_not_do_is_named(shifted, change, message):
    fitted, X, site, C, _ = shifted
    with pytest.raises(ValueError, match=message):
        fitted.counterfactual(X, source=site, target="west", covariates=change(C))


def test_covariates_that_were_not_fitted_are_refused():
    X, site, C, _ = patients(20)
    fitted = DomainCounterfactual(mixing="moments").fit(X, site)
    with pytest.raises(ValueError, match="has kept none"):
        fitted.counterfactual(X, source=site, target="west", covariates=C)


def test_constants_and_identifiers_and_dates():
    X, site, C, _ = patients(20)
    model = DomainCounterfactual(mixing="moments")
    assert "never vary: unit" in model.fit(X, site, covariates=C.assign(unit="mm")).notes_[1]
    for wrong, message in [
        ({"unit": "mm"}, "must vary among the rows"),
        ({"name": [f"p{i}" for i in range(len(X))]}, "which identify rows"),
        ({"day": pd.date_range("2020-01-01", periods=len(X))}, "got dates"),
    ]:
        with pytest.raises(ValueError, match=message):
            model.fit(X, site, covariates=pd.DataFrame(wrong, index=X.index))


def test_smooth_and_joint_effects_are_found_and_simple_ones_stay_simple():
    rng = np.random.default_rng(0)
    codes, x = np.repeat([0, 1], 150), rng.uniform(-2, 2, 300)
    kind = rng.choice(["p", "q"], 300)
    C, noise = pd.DataFrame({"x": x, "kind": kind}), rng.standard_normal((300, 2))

    def basis(y):
        return fit_covariates(C, y, codes).design.basis

    plain = basis(np.c_[x, -x] + 0.3 * noise)
    assert plain.columns[0].knots == ()
    assert plain.terms == ((0,), (1,))
    bent = basis(np.c_[x**2, np.sin(2 * x)] + 0.3 * noise)
    assert len(bent.columns[0].knots) >= 3
    joint = basis(np.c_[x * (kind == "p"), x] + 0.3 * noise)
    assert (0, 1) in joint.terms


def test_arrays_series_and_mappings_will_do():
    X, site, C, _ = patients(30)
    ages = C["age"]
    model = DomainCounterfactual(mixing="moments")
    forms = [ages, ages.to_numpy(), ages.to_frame(), {"age": ages.to_numpy()}]
    answers = [
        model.fit(X, site, covariates=form).counterfactual(
            X, source=site, target="west", covariates=form
        )
        for form in forms
    ]
    for answer in answers[1:]:
        pd.testing.assert_frame_equal(answer, answers[0])


def test_learning_on_controls_and_applying_to_all():
    X, site, C, _ = patients(150)
    well = (C["diagnosis"] == "well").to_numpy()
    model = DomainCounterfactual(mixing="moments")
    by_mask = model.fit(X, site, covariates=C[["age"]], learn_on=well)
    answer = by_mask.counterfactual(X, source=site, target="west", covariates=C)
    alone = DomainCounterfactual(mixing="moments").fit(X[well], site[well], covariates=C[well])
    assert alone.covariates_.names == ("age",)
    by_name = model.fit(X, site, covariates=C, learn_on=lambda C: C["diagnosis"] == "well")
    again = by_name.counterfactual(X, source=site, target="west", covariates=C)
    pd.testing.assert_frame_equal(again, answer)
    with pytest.raises(ValueError, match="one truth value per row"):
        model.fit(X, site, learn_on=[True])
    with pytest.raises(ValueError, match="rows in every domain; .'west'."):
        model.fit(X, site, learn_on=(site != "west").to_numpy())


def test_a_share_that_is_noise_does_not_move_along():
    X, site, C, _ = patients()
    model = DomainCounterfactual(mixing="moments")
    expected = model.fit(X, site, covariates=C, carried=0.0)
    moved = expected.counterfactual(X, source="north", target="west", covariates=C)
    kept = expected.covariates_
    z = kept.z(C, len(X))
    explained = kept.explained(z, np.full(len(X), 2))
    y = expected.to_link_space(moved) - explained
    np.testing.assert_allclose(y - y[0], 0, atol=1e-9)
    with pytest.raises(ValueError, match="carried must be in 0..1"):
        model.fit(X, site, covariates=C, carried=2.0)


def test_thousands_of_columns():
    rng = np.random.default_rng(0)
    X, site, C, _ = patients(20)
    wide = np.asarray(X) @ rng.standard_normal((4, 3_000)) + rng.standard_normal((60, 3_000))
    y, codes = wide, np.repeat([0, 1, 2], 20)
    found = fit_covariates(C, y, codes)
    assert found.effects.shared.shape[1] == 3_000
    assert found.explained_share > 0.2


def test_rows_without_a_category_have_a_level_of_their_own():
    X, site, C, truth = patients()
    gone = C.assign(diagnosis=C["diagnosis"].where(np.arange(len(C)) % 9 > 0))
    fitted = DomainCounterfactual(mixing="moments").fit(X, site, covariates=gone)
    assert "diagnosis (2 levels, and missing)" in fitted.notes_[0]
    known = DomainCounterfactual(mixing="moments").fit(X, site, covariates=C)
    complete = error(known, X, site, truth, covariates=C)
    assert error(fitted, X, site, truth, covariates=gone) < 4 * complete + 0.02
