"""The estimator: what it answers, in which form, and what it refuses."""

from dataclasses import replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from elsewhere.errors import DomainError
from elsewhere.estimators import DomainCounterfactual, in_blocks, requested_engine
from elsewhere.fitting import FitError, Pairs, Profile, fit, ladder
from elsewhere.fitting.profile import likelihood
from elsewhere.fitting.signs import changed_mechanisms
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from fitted import estimator_with, table_of, true_model
from table_data import FEATURES, SETTINGS, SMALL, fitted, table

X, SITES = table()[FEATURES], table()["site"]


class TestAnswers:
    def test_index_columns_and_types_are_kept(self):
        moved = fitted().counterfactual(X, source=SITES, target="south")
        pd.testing.assert_index_equal(moved.index, X.index)
        pd.testing.assert_series_equal(moved.dtypes, X.dtypes)
        assert (moved["flat"] == 2.5).all()
        assert (moved["mass"] > 0).all()

    def test_rows_of_the_target_stay_exactly_as_they_are(self):
        moved = fitted().counterfactual(X, source=SITES, target="south")
        at_home = SITES == "south"
        pd.testing.assert_frame_equal(moved[at_home], X[at_home])
        assert (moved["mass"] != X["mass"])[~at_home].all()

    def test_there_and_back_is_the_same_row(self):
        away = fitted().counterfactual(X, source="north", target="south")
        back = fitted().counterfactual(away, source="south", target="north")
        np.testing.assert_allclose(
            back["mass"], X["mass"], rtol=0.2
        )  # counts are rounded on the way
        np.testing.assert_allclose(back["count"], X["count"], atol=1)

    def test_labels_by_row_and_in_one_word_agree(self):
        est, rows = fitted(), X.iloc[:7]
        one = est.counterfactual(rows, source="north", target="south")
        each = est.counterfactual(rows, source=["north"] * 7, target=np.array(["south"] * 7))
        pd.testing.assert_frame_equal(one, each)
        mixed = est.counterfactual(rows, source="north", target=["south", *["north"] * 6])
        pd.testing.assert_frame_equal(mixed.iloc[:1], one.iloc[:1])
        pd.testing.assert_frame_equal(mixed.iloc[1:], rows.iloc[1:])

    def test_all_targets(self):
        answers = fitted().counterfactual(X, source=SITES, target="all")
        assert list(answers) == ["north", "south"] == list(fitted().domains_)
        south = fitted().counterfactual(X, source=SITES, target="south")
        pd.testing.assert_frame_equal(answers["south"], south)

    def test_candidates_consensus_and_spread_belong_together(self):
        est = fitted()
        answers = est.candidates(X, source=SITES, target="south")
        assert answers.shape == (len(est.result_.candidates), 300, 4)
        preferred = est.counterfactual(X, source=SITES, target="south")
        np.testing.assert_array_equal(answers[0], preferred.to_numpy())
        low, high = est.spread(X, source=SITES, target="south", mirrored=False)
        np.testing.assert_array_equal(low.to_numpy(), answers.min(0))
        np.testing.assert_array_equal(high.to_numpy(), answers.max(0))
        least, most = est.spread(X, source=SITES, target="south")
        assert ((least <= low) & (high <= most)).to_numpy().all()
        middle = est.consensus(X, source=SITES, target="south")
        assert ((middle >= low) & (middle <= high)).to_numpy().all()

    def test_whole_numbers_at_the_question_do_not_round_a_real_column(self):
        whole = X.assign(level=1)
        moved = fitted().counterfactual(whole, source="north", target="south")
        assert moved["level"].dtype == float
        real = fitted().counterfactual(X.assign(level=1.0), source="north", target="south")
        pd.testing.assert_frame_equal(moved, real)

    def test_many_rows_are_answered_as_few_are(self):
        many = pd.concat([X] * 120, ignore_index=True)  # more than one block
        few = fitted().counterfactual(X, source="north", target="south")
        moved = fitted().counterfactual(many, source="north", target="south")
        np.testing.assert_allclose(moved.iloc[-300:].to_numpy(), few.to_numpy(), rtol=1e-5)


class TestLikelihoodNoiseAndSamples:
    def test_log_prob_is_a_density_in_the_units_of_the_table(self):
        est = fitted()
        inner = in_blocks.by_domain(
            est.result_.model, est.to_link_space(X), np.zeros(300, int), in_blocks.log_density
        )
        links = est.links_
        slopes = sum(links[name].log_slope(X[name].to_numpy(float)) for name in links)
        np.testing.assert_allclose(est.log_prob(X, "north"), inner + slopes)
        thousand = clone(est).fit(X.assign(level=1000 * X["level"]), SITES)
        shifted = thousand.log_prob(X.assign(level=1000 * X["level"]), SITES)
        np.testing.assert_allclose(shifted, est.log_prob(X, SITES) - np.log(1000), atol=1e-3)

    def test_noise_of_a_domain_is_standard(self):
        eps = fitted().abduct(X, SITES)
        assert eps.shape == (300, 3)
        assert np.abs(eps.mean(0)).max() < 0.2
        assert np.abs(eps.std(0) - 1).max() < 0.2

    def test_samples_have_the_form_of_the_table(self):
        drawn = fitted().sample(2_000, domain="north", random_state=1)
        pd.testing.assert_series_equal(drawn.dtypes, X.dtypes)
        assert (drawn["flat"] == 2.5).all()
        assert drawn["count"].mean() == pytest.approx(X["count"][SITES == "north"].mean(), abs=1.5)
        again = fitted().sample(2_000, domain="north", random_state=1)
        pd.testing.assert_frame_equal(drawn, again)


class TestFit:
    def test_arrays_go_in_and_out(self):
        x = X[["level", "mass", "count"]].to_numpy(np.float32)
        est = DomainCounterfactual(**SETTINGS).fit(x, SITES.tolist())
        assert est.counterfactual(x, source="north", target="south").dtype == np.float32
        assert list(est.links_) == [0, 1, 2]
        assert est.sample(2, domain="north").shape == (2, 3)

    def test_links_can_be_set(self):
        links = {"mass": ("bounded", 0, 1000), "level": "identity"}
        est = clone(fitted()).set_params(links=links).fit(X, SITES)
        assert str(est.links_["mass"]) == "within 0 … 1000"
        assert est.links_["count"].whole

    def test_standardising_changes_nothing_but_the_units(self):
        y = fitted().to_link_space(X)
        tables = {d: y[(d == SITES).to_numpy()] for d in ("north", "south")}
        scale, shift = np.array([1e-3, 1.0, 1e4]), np.array([5.0, -2e3, 1.0])
        other = {d: scale * rows + shift for d, rows in tables.items()}
        key, engine = jax.random.key(3), Profile("linear", options=SMALL)
        results = [fit(key, t, k=1, engine=engine) for t in (tables, other)]
        plain = in_blocks.move(results[0].model, y, "north", "south")
        scaled = in_blocks.move(results[1].model, scale * y + shift, "north", "south")
        np.testing.assert_allclose((scaled - shift) / scale, plain, atol=1e-4)

    def test_mixing_auto_is_linear_unless_held_out_rows_speak_for_leaky(self, monkeypatch):
        results = {"linear": fitted().result_, "leaky": replace(fitted().result_, k=3)}
        results = {name: replace(r, engine=Profile(name)) for name, r in results.items()}
        monkeypatch.setattr(
            *(Profile, "begin"),
            lambda self, *_, **__: SimpleNamespace(solve=lambda _: results[self.mixing]),
        )
        monkeypatch.setattr(ladder, "may_be_likelier", lambda *_: True)
        for better in ("leaky", "linear"):
            monkeypatch.setattr(ladder, "is_likelier", lambda *_, b=better: b == "leaky")
            tables = {d: np.eye(30)[:, :2] for d in "ab"}
            engine = requested_engine.requested_engine("auto", 0.5, None)
            found = fit(jax.random.key(0), tables, k=1, engine=engine)
            name = requested_engine.mixing_of(found, "auto")
            assert (found, name) == (results[better], better)

    def test_likelier_means_by_more_than_two_errors(self, monkeypatch):
        rows = {3: [np.array([1.0, 1.1, 0.9])], 1: [np.array([0.9, 1.2, 0.8])]}
        monkeypatch.setattr(likelihood, "held_out_rows", lambda model, _: rows[model.m])
        one, three = (SimpleNamespace(model=SimpleNamespace(m=m)) for m in rows)
        unchecked = ladder.is_likelier.__wrapped__
        assert not unchecked(one, three, {})
        rows[3] = [rows[1][0] + 1]
        assert unchecked(one, three, {})
        assert not unchecked(three, one, {})

    def test_pairs_reach_the_engine_in_link_space(self, monkeypatch):
        seen = {}

        def refine(key, result, data, pairs, *, valid, options):
            seen["pairs"] = pairs
            return result

        monkeypatch.setattr("elsewhere.fitting.refine.refine_with_pairs", refine)
        est = clone(fitted())
        est.fit(X, SITES, pairs=("north", "south", X.iloc[:4], X.iloc[4:8]))
        (pair,) = seen["pairs"]
        np.testing.assert_array_equal(pair.x_source, est.to_link_space(X.iloc[:4]))
        est.fit(X, SITES, pairs=[Pairs("north", "south", X.iloc[:4], X.iloc[4:8])])
        np.testing.assert_array_equal(seen["pairs"][0].x_target, est.to_link_space(X.iloc[4:8]))
        with pytest.raises(ValueError, match="pairs must be Pairs or tuples"):
            est.fit(X, SITES, pairs=["north"])

    def test_notes_name_constant_and_coded_columns(self):
        coded = X.assign(grade=(np.arange(300) // 7) % 3)
        notes = clone(fitted()).fit(coded.drop(columns="level"), SITES).notes_
        assert "columns ['flat'] never vary: they are carried through unchanged." in notes
        assert any("columns ['grade'] take fewer than 5 values" in note for note in notes)

    def test_a_failed_fit_leaves_the_old_one(self):
        est = clone(fitted()).fit(X, SITES)
        before = est.counterfactual(X, source="north", target="south")
        with pytest.raises(FitError):
            est.fit(X.iloc[:8], SITES.iloc[:8])
        pd.testing.assert_frame_equal(est.counterfactual(X, source="north", target="south"), before)


class TestAddDomain:
    def test_earlier_answers_stay_the_same_numbers(self):
        est = clone(fitted()).fit(X, SITES)
        before = est.counterfactual(X, source="north", target="south")
        north = X[SITES == "north"]
        est.add_domain(north.assign(mass=north["mass"] * 3), "west")
        assert est.domains_ == ("north", "south", "west")
        pd.testing.assert_frame_equal(est.counterfactual(X, source="north", target="south"), before)
        west = est.counterfactual(north, source="north", target="west")
        assert (west["mass"] / north["mass"]).median() == pytest.approx(3, rel=0.3)

    def test_a_name_that_is_taken_or_reserved_is_refused(self):
        est = fitted()
        with pytest.raises(ValueError, match="must be new"):
            est.add_domain(X, "north")
        with pytest.raises(ValueError, match="must not be called 'all'"):
            est.add_domain(X, "all")


class TestRefusals:
    @pytest.mark.parametrize(
        ("frame", "message"),
        [
            (X.assign(level=[np.inf, *X["level"][1:]]), "inf at row 1000, column 'level'"),
            (X.assign(level="high"), "X must hold numbers only; got {'level': 'str'}"),
            (X.set_axis(["a", "a", "b", "c"], axis=1), r"duplicate column names: \['a'\]"),
            (X.assign(level=1.0, mass=1.0, count=1), "at least one column that varies"),
            (X.assign(level=X["count"] * 2.0), r"columns \['count', 'level'\] are collinear"),
        ],
    )
    def test_tables_that_cannot_be_fitted(self, frame, message):
        links = dict.fromkeys(frame.columns.unique(), "identity")
        with pytest.raises(ValueError, match=message):
            clone(fitted()).set_params(links=links).fit(frame, SITES)

    def test_a_column_constant_in_one_domain_is_named(self):
        frame = X.assign(level=np.where(SITES == "north", 1.0, X["level"]))
        with pytest.raises(FitError, match=r"in domain 'north' columns \['level'\] are constant"):
            clone(fitted()).fit(frame, SITES)

    def test_questions_that_cannot_be_asked(self):
        est = fitted()
        ask_south = {"source": "north", "target": "south"}
        with pytest.raises(ValueError, match="feature"):
            est.counterfactual(X.iloc[:, :3], **ask_south)
        with pytest.raises(ValueError, match="feature names"):
            est.counterfactual(X.rename(columns={"mass": "weight"}), **ask_south)
        with pytest.raises(
            ValueError, match="row 1000, column 'mass' holds -1, but the column was"
        ):
            est.counterfactual(X.assign(mass=-1.0), **ask_south)
        with pytest.raises(DomainError, match=r"target must be domains of the fit.*got \['west'\]"):
            est.counterfactual(X, source="north", target="west")
        with pytest.raises(DomainError, match="source must be domains"):
            est.counterfactual(X, source=["north", "east", *["south"] * 298], target="south")
        with pytest.raises(DomainError):
            est.sample(3, domain="west")

    def test_settings_that_cannot_be(self):
        with pytest.raises(ValueError, match="mixing must be one of"):
            DomainCounterfactual(mixing="cubic").fit(X, SITES)
        with pytest.raises(ValueError, match=r"options must be elsewhere\.fitting\.Options"):
            DomainCounterfactual(mixing="linear", options={"steps": 3}).fit(X, SITES)
        with pytest.raises(ValueError, match="k must be in 0..3"):
            clone(fitted()).set_params(k=9).fit(X, SITES)

    def test_an_unfitted_estimator_says_so(self):
        with pytest.raises(NotFittedError):
            DomainCounterfactual().counterfactual(X, source="a", target="b")
        with pytest.raises(NotFittedError):
            DomainCounterfactual().save("nowhere.model")


class TestTies:
    """Where the principle cannot choose, the answer is the mean of those that tie."""

    @pytest.fixture(scope="class")
    def two(self):
        truth = true_model()
        f = truth.scms[2]
        other = LinearSCM(f.weights, f.scale, f.bias.at[1].add(2.0))
        X, labels = table_of(truth, rows=20)
        return truth, ILD(truth.mixing, [*truth.scms[:2], other], truth.domains), X, labels

    def test_the_answer_is_their_mean_in_link_space(self, two):
        first, second, X, labels = two
        estimator = estimator_with(X, first, second)
        ask = {"source": labels, "target": "Cedar"}
        every = estimator.candidates(X, **ask)
        assert np.abs(every[0] - every[1]).max() > 0.1
        np.testing.assert_allclose(estimator.counterfactual(X, **ask), every.mean(axis=0))
        low, high = estimator.spread(X, **ask, mirrored=False)
        np.testing.assert_allclose(high - low, np.ptp(every, axis=0))

    def test_the_spread_holds_what_mirrored_noises_would_answer(self, two):
        """A truth whose noise has another sign in Cedar, which no rows of any domain can show."""
        model, _, X, labels = two
        ask = {"source": labels, "target": "Cedar"}
        f, estimator = model.scms[2], estimator_with(X, model)
        scale = f.scale.at[jnp.array(changed_mechanisms(model))].multiply(-1)
        flipped = LinearSCM(f.weights, scale, f.bias)
        truth = ILD(model.mixing, [*model.scms[:2], flipped], model.domains)
        answer = estimator_with(X, truth).counterfactual(X, **ask)
        inside = [
            ((low <= answer + 1e-6) & (answer <= high + 1e-6)).to_numpy()
            for low, high in (
                estimator.spread(X, **ask),
                estimator.spread(X, **ask, mirrored=False),
            )
        ]
        assert inside[0].all()
        assert not inside[1].all()
        estimator.result_ = replace(estimator.result_, signs_known=True)
        low, high = estimator.spread(X, **ask)
        assert ((high - low).abs() < 1e-9).to_numpy().all()

    def test_any_preference_decides(self, two):
        first, second, X, labels = two
        estimator = estimator_with(X, first, second)
        best, last = estimator.result_.candidates
        decided = (best, replace(last, preference=best.preference - 1e-12))
        estimator.result_ = replace(estimator.result_, candidates=decided)
        ask = {"source": labels, "target": "Cedar"}
        assert estimator.result_.preferred == (first,)
        answer = np.asarray(estimator.counterfactual(X, **ask))
        np.testing.assert_array_equal(answer, estimator.candidates(X, **ask)[0])
