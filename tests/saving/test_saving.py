"""A model file: the same answers after reloading, and nothing else than a whole, known file."""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

import flowjax.bijections as fb
import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from elsewhere.bijections import Affine, LeakyReLU, inverse
from elsewhere.errors import AssumptionError
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Gradient, registered_engines
from elsewhere.fitting.flow.start import flow_maker
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.mixing import leaky_linear, neural_spline, real_nvp
from elsewhere.model import ILD
from elsewhere.saving import (
    ModelFileError,
    Reader,
    Writer,
    container,
    engine_back,
    engine_parts,
    read_model,
    register_codec,
    write_model,
)
from elsewhere.saving import labels as saved_labels
from elsewhere.scm import AdditiveSCM, AutoregressiveSCM, LinearSCM
from elsewhere.scm.additive import CURVES
from table_data import FEATURES, fitted, table

DATA = Path(__file__).parent / "data"
X, SITES = table()[FEATURES], table()["site"]
SETTINGS = {"couplings": 2, "width": 4}


@pytest.fixture
def path(tmp_path):
    return fitted().save(tmp_path / "a.model")


class TestReload:
    def test_answers_are_the_same_to_the_last_bit(self, path):
        old, new = fitted(), DomainCounterfactual.load(path)
        for question in (
            {"source": SITES, "target": "south"},
            {"source": "south", "target": "north"},
        ):
            a, b = (est.counterfactual(X, **question) for est in (old, new))
            pd.testing.assert_frame_equal(a, b, check_exact=True)
        np.testing.assert_array_equal(old.log_prob(X, SITES), new.log_prob(X, SITES))
        np.testing.assert_array_equal(
            old.candidates(X, source="north", target="south"),
            new.candidates(X, source="north", target="south"),
        )

    def test_all_that_was_known_is_known_again(self, path):
        old, new = fitted(), DomainCounterfactual.load(path)
        assert new.get_params() == old.get_params()
        assert new.space_ == old.space_
        assert (new.domains_, new.domain_name_, new.mixing_) == (old.domains_, "site", "linear")
        assert new.notes_ == old.notes_
        assert new.feature_names_in_.tolist() == FEATURES
        assert replace(new.result_, candidates=()) == replace(old.result_, candidates=())
        pd.testing.assert_frame_equal(
            new.sample(5, domain="north", random_state=0),
            old.sample(5, domain="north", random_state=0),
        )

    def test_a_reloaded_model_can_be_saved_again_as_the_same_file(self, path, tmp_path):
        again = DomainCounterfactual.load(path).save(tmp_path / "b.model")
        assert again.read_bytes() == path.read_bytes()

    def test_an_added_domain_is_saved_too(self, tmp_path):
        est = DomainCounterfactual.load(fitted().save(tmp_path / "a.model"))
        est.add_domain(X[SITES == "north"], 7)
        new = DomainCounterfactual.load(est.save(tmp_path / "b.model"))
        assert new.domains_ == ("north", "south", 7)
        a, b = (e.counterfactual(X, source="north", target=7) for e in (est, new))
        pd.testing.assert_frame_equal(a, b, check_exact=True)


def linear_scms(m):
    rng = np.random.default_rng(m)
    return [LinearSCM(rng.normal(size=(m, m)), np.ones(m), rng.normal(size=m)) for _ in range(2)]


def nonlinear_scms(m):
    return [AutoregressiveSCM(key, m, 4) for key in jax.random.split(jax.random.key(0))]


def additive_scms(m):
    rng = np.random.default_rng(m)
    weights = rng.normal(size=(2, m, m, CURVES))
    return [AdditiveSCM(w, np.ones(m), rng.normal(size=m)) for w in weights]


KEY = jax.random.key(1)
MODELS = {  # made when they are asked for: networks take seconds
    "leaky": lambda: (leaky_linear(jnp.eye(3) + 0.1, slope=0.3), linear_scms(3)),
    "two leaky layers": lambda: (
        fb.Chain(
            [*leaky_linear(jnp.eye(3) + 0.1).bijections, *leaky_linear(jnp.eye(3)).bijections]
        ),
        linear_scms(3),
    ),
    "curved": lambda: (Affine(jnp.eye(3) + 0.1), additive_scms(3)),
    "nested": lambda: (
        fb.Chain([fb.Identity((2,)), inverse(Affine(jnp.eye(2) * 3)), LeakyReLU((2,))]),
        linear_scms(2),
    ),
    "real_nvp": lambda: (real_nvp(KEY, 3, **SETTINGS), nonlinear_scms(3)),
    "real_nvp of two": lambda: (real_nvp(KEY, 2, **SETTINGS), linear_scms(2)),
    "spline": lambda: (
        fb.Chain([neural_spline(KEY, 3, knots=4, **SETTINGS), Affine(jnp.eye(3))]),
        nonlinear_scms(3),
    ),
    "spline of other sizes": lambda: (
        neural_spline(KEY, 4, knots=5, interval=3.0, couplings=3, width=5, depth=2),
        linear_scms(4),
    ),
    "spline of one": lambda: (neural_spline(KEY, 1), linear_scms(1)),
    "real_nvp of one": lambda: (real_nvp(KEY, 1), linear_scms(1)),
    "learnt matrices": lambda: (flow_maker("real_nvp", 2, 4)(KEY, 3), linear_scms(3)),
    "learnt matrices, one column": lambda: (flow_maker("spline", 2, 4)(KEY, 1), linear_scms(1)),
}


def round_trip(model):
    """Through JSON, as in a file."""
    writer = Writer()
    parts = json.loads(json.dumps(writer.part(model)))
    return Reader(writer.arrays).part(parts)


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_makes_the_round_trip(name):
    mixing, scms = MODELS[name]()
    model = ILD(mixing, scms, ["a", "b"])
    back = round_trip(model)
    x = jnp.asarray(np.random.default_rng(0).normal(size=(5, model.m)))
    same = [np.asarray(one.move(x, d="a", d_prime="b")) for one in (model, back)]
    np.testing.assert_array_equal(*same)


def test_a_pseudo_invertible_model_makes_the_round_trip():
    white = Whitening(np.zeros(3), np.array([1.0, 10.0, 2.0]), np.eye(3))
    model = PseudoILD(Coder(KEY, 3, 2, 4), tuple(linear_scms(2)), ("a", ("b", 1)), white)
    x = jnp.asarray(np.random.default_rng(0).normal(size=(5, 3)))
    same = [np.asarray(one.move(x, d="a", d_prime=("b", 1))) for one in (model, round_trip(model))]
    np.testing.assert_array_equal(*same)


def test_numbers_without_axes_are_saved_as_such(tmp_path):
    """As the noise of a pseudo-invertible model is: its file could not be read."""
    write_model(tmp_path / "a", {"kind": "x"}, [np.array(0.5), np.ones((2, 0)), np.arange(4.0)])
    assert [a.shape for a in read_model(tmp_path / "a")[1]] == [(), (2, 0), (4,)]


def test_a_column_without_any_value_is_saved(tmp_path):
    est = DomainCounterfactual(mixing="moments").fit(X.assign(empty=np.nan), SITES)
    back = DomainCounterfactual.load(est.save(tmp_path / "a.model"))
    assert "empty" in back.space_.columns.carried
    answer = back.counterfactual(X.assign(empty=np.nan), source=SITES, target="north")
    assert answer["empty"].isna().all()


def test_a_model_that_is_not_known_is_not_saved():
    with pytest.raises(ValueError, match="a model with a Tanh cannot be saved"):
        Writer().part(ILD(fb.Tanh((2,)), linear_scms(2)))


def test_a_codec_is_added_in_one_place(tmp_path):
    register_codec(
        Shift,
        "test.Shift",
        lambda shift, writer: writer.keep([shift.by]),
        lambda places, reader: Shift(("north", "south"), *reader.taken(places)),
    )
    est = fitted()
    moved = clone(est)
    vars(moved).update(vars(est))
    candidate = replace(est.result_.candidates[0], model=Shift(("north", "south"), np.arange(3.0)))
    moved.result_ = replace(est.result_, candidates=(candidate,))
    back = DomainCounterfactual.load(moved.save(tmp_path / "a.model"))
    a, b = (e.counterfactual(X, source="north", target="south") for e in (moved, back))
    pd.testing.assert_frame_equal(a, b, check_exact=True)
    with pytest.raises(AssumptionError, match="a Shift only moves rows"):
        back.log_prob(X, SITES)
    with pytest.raises(ValueError, match="a codec 'test.Shift' already exists"):
        register_codec(Whitening, "test.Shift", lambda *_: [], lambda *_: None)


@dataclass(frozen=True)
class Shift:
    """A mover in plain NumPy, and nothing else."""

    domains: tuple
    by: np.ndarray

    def move(self, x, *, d, d_prime):
        return x + (self.domains.index(d_prime) - self.domains.index(d)) * self.by


class TestEngines:
    @pytest.mark.parametrize("name", registered_engines())
    def test_an_engine_makes_the_round_trip(self, name):
        engine = registered_engines()[name]
        assert engine_back(json.loads(json.dumps(engine_parts(engine)))) == engine

    def test_options_that_are_not_plain_are_refused(self):
        with pytest.raises(ValueError, match="options, which must be plain values; got mixing="):
            engine_parts(Gradient(mixing=real_nvp))

    def test_an_engine_that_is_not_registered_is_named(self):
        with pytest.raises(ValueError, match="fitted by the engine 'Mine', which is not known"):
            engine_back({"Mine": {}})


def test_settings_changed_after_a_fit_do_not_spoil_the_file(tmp_path):
    """The couplings describe themselves; they were once read off the current options."""
    small = {"mixing_settings": SETTINGS, "steps": 100, "restarts": 1, "finalists": 1}
    est = DomainCounterfactual(k=1, mixing="real_nvp", options=small).fit(X, SITES)
    est.set_params(options={"mixing_settings": {"couplings": 7}}, mixing="spline")
    back = DomainCounterfactual.load(est.save(tmp_path / "a.model"))
    a, b = (e.counterfactual(X, source="north", target="south") for e in (est, back))
    pd.testing.assert_frame_equal(a, b, check_exact=True)
    assert back.engine_ == Gradient(**small)
    assert back.mixing_ == "real_nvp"


@pytest.mark.parametrize(
    "label",
    ["a", 3, 0.5, True, pd.Timestamp("2021-03-04 05:06"), ("x", 1), pd.Timestamp("2020").date()],
)
def test_labels_make_the_round_trip(label):
    back = saved_labels.from_json(json.loads(json.dumps(saved_labels.to_json(label))))
    assert back == label
    assert type(back) is type(label)


def test_a_label_that_json_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="a label must be text, a number"):
        saved_labels.to_json(frozenset({1}))


class TestRefusals:
    def test_every_cut_is_noticed(self, path):
        whole = path.read_bytes()
        for length in [0, 1, 10, 30, 100, 1000, len(whole) - 1]:
            path.write_bytes(whole[:length])
            with pytest.raises(ModelFileError):
                DomainCounterfactual.load(path)

    def test_every_edit_is_noticed(self, path):
        whole = path.read_bytes()
        for place in np.random.default_rng(0).integers(0, len(whole), 60):
            edited = bytearray(whole)
            edited[place] ^= 1
            path.write_bytes(bytes(edited))
            with pytest.raises(ModelFileError):
                DomainCounterfactual.load(path)

    def test_a_newer_format_names_the_remedy(self, path):
        path.write_bytes(path.read_bytes().replace(b"format 2", b"format 3", 1))
        with pytest.raises(ModelFileError, match="newer than the 2 known here. Install a newer"):
            DomainCounterfactual.load(path)

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04pickle", b"a,b\n1,2\n"])
    def test_other_files_are_no_models(self, path, content):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="is not a model of elsewhere"):
            DomainCounterfactual.load(path)

    @pytest.mark.parametrize(
        "change",
        [
            {"result": {}},
            {"result": None},
            {"domains": ["a"]},
            {"links": []},
            {"columns": {"names": []}},
            {"settings": {"options": {"search": {"unknown": 1}}}},
        ],
    )
    def test_a_header_that_makes_no_sense_is_refused_even_with_a_right_checksum(self, path, change):
        header, arrays = read_model(path)
        write_model(path, header | change, arrays)
        with pytest.raises(ModelFileError):
            DomainCounterfactual.load(path)

    @pytest.mark.parametrize(
        "listed",
        [
            [{"dtype": "<f8", "shape": [10**15]}],
            [{"dtype": "<f8", "shape": [-1]}],
            [{"dtype": "|O", "shape": [1]}],
            [{"dtype": "<f8", "shape": ["1"]}],
            "none",
            None,
        ],
    )
    def test_arrays_that_are_not_there_are_never_allocated(self, path, listed):
        rest = json.dumps({"arrays": listed}).encode() + b"\n" + b"\0" * 8
        start = b"elsewhere model, format 2\n" + hashlib.sha256(rest).hexdigest().encode()
        path.write_bytes(start + b"\n" + rest)
        with pytest.raises(ModelFileError):
            read_model(path)

    def test_a_flow_too_large_for_its_arrays_is_never_built(self):
        shape = {"flow": "real_nvp", "m": 3, "matrices": False, "arrays": []}
        huge = shape | {"settings": {"width": 4096, "couplings": 4096, "depth": 2}}
        with pytest.raises(ValueError, match="arrays must have the shapes"):
            Reader([]).check({"Couplings": huge})
        endless = shape | {"settings": {"depth": 10**9}}
        with pytest.raises(ValueError, match="depth must be a whole number in 0..16"):
            Reader([]).check({"Couplings": endless})

    def test_a_part_that_is_not_known_is_not_read(self):
        with pytest.raises(ValueError, match="a part 'os.system', which is not known here"):
            Reader([]).part({"os.system": []})

    def test_too_large_a_file_is_not_read(self, path, monkeypatch):
        monkeypatch.setattr(container, "LARGEST", 100)
        with pytest.raises(ModelFileError, match="too large for a model"):
            read_model(path)

    def test_a_directory_is_no_model(self, tmp_path):
        with pytest.raises(IsADirectoryError):
            DomainCounterfactual.load(tmp_path)

    def test_float64_needs_float64(self, path):
        assert fitted().result_.model.dtype == jnp.float64
        jax.config.update("jax_enable_x64", False)
        try:
            with pytest.raises(ModelFileError, match="jax_enable_x64"):
                DomainCounterfactual.load(path)
        finally:
            jax.config.update("jax_enable_x64", True)


class TestFormatOne:
    """These files were written by the first version. They must load for ever."""

    EXPECTED = json.loads((DATA / "format-1-answers.json").read_text())

    @pytest.mark.parametrize("name", ["linear", "leaky", "real_nvp", "spline"])
    def test_it_answers_as_it_did(self, name):
        est = DomainCounterfactual.load(DATA / f"format-1-{name}.model")
        rows = pd.DataFrame(self.EXPECTED["rows"], columns=FEATURES)
        for target, answer in self.EXPECTED[name].items():
            moved = est.counterfactual(rows, source="north", target=target)
            np.testing.assert_allclose(moved.to_numpy(), answer, rtol=1e-4, atol=1e-4)
        density = est.log_prob(rows, "north")
        np.testing.assert_allclose(density, self.EXPECTED[f"{name}_log_prob"], rtol=1e-4)
