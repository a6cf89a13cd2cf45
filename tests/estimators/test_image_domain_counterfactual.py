"""Images in, images from elsewhere out: kinds, names, files and mistakes."""

from dataclasses import replace

import equinox as eqx
import jax
import numpy as np
import pytest
from PIL import Image
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from elsewhere import DomainCounterfactual, ImageDomainCounterfactual
from elsewhere.datasets.pictures import as_bytes, image_data
from elsewhere.errors import DomainError
from elsewhere.estimators import CounterfactualEstimator, image_fit
from elsewhere.estimators.image_labels import image_codes
from elsewhere.fitting import Pairs
from elsewhere.images.code_models import OwnMixings
from elsewhere.images.fit_codes import FAR, FlowSettings
from elsewhere.images.image_ild import ImageILD
from elsewhere.images.metrics import ImageModel
from elsewhere.saving import ModelFileError, read_model, write_model
from elsewhere.saving.images import blank_codes

pytestmark = pytest.mark.usefixtures("compile_fast")
SIDE = 8
SMALL = {"m": 3, "k": 1, "steps": 20, "flow": FlowSettings(couplings=1, width=4, steps=20)}


def bars(n, seed, top):
    """A bar of some brightness in the upper or lower half."""
    rng = np.random.default_rng(seed)
    images = np.zeros((n, SIDE, SIDE))
    images[:, slice(0, 4) if top else slice(4, 8)] = rng.uniform(0.3, 1, (n, 1, 1))
    return images


UP, DOWN = bars(40, 0, top=True), bars(30, 1, top=False)
ALL, WHERE = np.concatenate([UP, DOWN]), np.repeat(["up", "down"], [40, 30])


@pytest.fixture(scope="module")
def can():
    return ImageDomainCounterfactual(**SMALL).fit(ALL, WHERE)


@pytest.fixture(scope="module", params=["can", "independent"])
def fitted(request, can):
    """Fitted, or with one mixing for each domain as it is before a fit, which costs less."""
    if request.param == "can":
        return can
    sizes = {"m": 3, "k": 3, "num_domains": 2, "couplings": 1, "width": 4, "shared": False}
    own = blank_codes(sizes)
    first, second = own.mixings
    offset = lambda chain: chain.bijections[1].bijections[1].offset  # noqa: E731
    apart = OwnMixings((first, eqx.tree_at(offset, second, replace_fn=lambda b: b + 0.5)))
    estimator = ImageDomainCounterfactual(**SMALL, variant="independent")
    estimator.model_, estimator.domains_ = ImageILD(can.model_.autoencoder, apart), can.domains_
    estimator.notes_ = ("a note",)
    return estimator


class TestAnswers:
    def test_it_learned_something(self, fitted):
        assert fitted.domains_ == ("down", "up")
        assert fitted.shape_ == (SIDE, SIDE, 1)
        assert isinstance(fitted.model_, ImageModel)

    def test_what_goes_in_comes_out(self, fitted):
        floats = fitted.counterfactual(UP, "up", "down")
        assert (floats.shape, floats.dtype) == (UP.shape, np.float32)
        assert 0 <= floats.min() <= floats.max() <= 1
        given = as_bytes(UP)[..., None]
        integers = fitted.counterfactual(given, source="up", target="down")
        assert (integers.shape, integers.dtype) == (given.shape, np.uint8)
        same = fitted.counterfactual(given / np.float32(255), source="up", target="down")
        assert np.abs(integers / 255.0 - same).max() < 0.01
        assert fitted.reconstruct(given).dtype == np.uint8
        assert fitted.reconstruct(UP).shape == UP.shape

    def test_names_numbers_and_one_domain_an_image_mean_the_same(self, fitted):
        by_name = fitted.counterfactual(ALL, WHERE, "down")
        by_number = fitted.counterfactual(ALL, np.repeat([1, 0], [40, 30]), 0)
        np.testing.assert_array_equal(by_name, by_number)
        np.testing.assert_array_equal(by_name[40:], ALL[40:].astype(np.float32))
        alone = fitted.counterfactual(UP, "up", "down")
        np.testing.assert_allclose(by_name[:40], alone, atol=1e-6)

    def test_targets_may_differ_too_and_all_is_every_one(self, fitted):
        answers = fitted.counterfactual(ALL, WHERE, "all")
        assert list(answers) == ["down", "up"]
        swapped = fitted.counterfactual(ALL, WHERE, np.where(WHERE == "up", "down", "up"))
        np.testing.assert_allclose(swapped[:40], answers["down"][:40], atol=1e-6)
        np.testing.assert_allclose(swapped[40:], answers["up"][40:], atol=1e-6)

    def test_samples(self, fitted):
        one = fitted.sample(3, domain="up", random_state=1)
        assert one.shape == (3, SIDE, SIDE, 1)
        np.testing.assert_array_equal(one, fitted.sample(3, domain=1, random_state=1))
        assert not np.array_equal(one, fitted.sample(3, domain="down", random_state=1))


def test_the_same_seed_gives_the_same_model_from_any_kind_of_input(tmp_path):
    for name, part in (("down", DOWN), ("up", UP)):
        (tmp_path / name).mkdir()
        for i, image in enumerate(as_bytes(part)):
            Image.fromarray(image).save(tmp_path / name / f"{i:03}.png")
    parts = {"down": as_bytes(DOWN), "up": as_bytes(UP)}
    estimator, seen = ImageDomainCounterfactual(**SMALL), []
    answers = [
        clone(estimator).fit(given, progress=lambda f, text: seen.append(f)).reconstruct(UP)
        for given in (parts, str(tmp_path), image_data(parts))
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])
    assert seen == [seen[0], 1.0] * 3
    assert 0 < seen[0] < 1


class TestPairs:
    def test_they_reach_the_fit_as_codes_each_way_once(self, can, monkeypatch):
        coder, given = can.model_.autoencoder, {}
        monkeypatch.setattr(image_fit, "train_autoencoder", lambda *_, **__: coder)
        monkeypatch.setattr(
            image_fit, "fit_codes", lambda *_, **named: given.update(named) or can.model_.codes
        )
        pairs = [("up", "down", UP[:3], DOWN[:3]), Pairs("down", "up", DOWN[3:5], UP[3:5])]
        ImageDomainCounterfactual(**SMALL).fit(ALL, WHERE, pairs=pairs)
        d, d_prime = (np.asarray(getattr(given["pairs"], name)) for name in ("d", "d_prime"))
        np.testing.assert_array_equal(d, [1, 1, 1, 0, 0, 0, 0, 0, 1, 1])
        np.testing.assert_array_equal(d_prime, 1 - d)
        seen = coder.encode(UP[:3, ..., None].astype(np.float32)).mean
        np.testing.assert_allclose(given["pairs"].before.mean[:3], seen, atol=1e-6)
        np.testing.assert_allclose(given["pairs"].after.mean[5:8], seen, atol=1e-6)

    @pytest.mark.parametrize(
        ("pairs", "message"),
        [
            (("up", "down", UP[:3], DOWN[:2]), "as many images in their source as in their target"),
            (("up", "up", UP[:3], UP[:3]), "pairs must be of two domains; got 'up' twice"),
            (("up", "left", UP[:3], UP[:3]), r"pairs must be domains of the fit, \['down', 'up'\]"),
            (("up", "down", UP[:3, :4], DOWN[:3, :4]), r"pairs must be images of \(8, 8, 1\)"),
            (("up", "down", UP), "pairs must be Pairs or tuples"),
        ],
    )
    def test_mistakes_are_named_before_anything_is_trained(self, pairs, message):
        with pytest.raises(ValueError, match=message):
            ImageDomainCounterfactual(**SMALL).fit(ALL, WHERE, pairs=pairs)

    def test_independent_takes_none(self):
        estimator = ImageDomainCounterfactual(**SMALL, variant="independent")
        with pytest.raises(ValueError, match="pairs must be None for variant 'independent'"):
            estimator.fit(ALL, WHERE, pairs=("up", "down", UP[:1], DOWN[:1]))


def part(header, name):
    return header["model"]["ImageILD"][name]


class TestFile:
    def test_domains_far_apart_are_matched_and_kept(self, tmp_path):
        far = replace(FAR, couplings=1, width=4, steps=20)
        model = ImageDomainCounterfactual(**(SMALL | {"flow": far})).fit(ALL, WHERE)
        moved = model.counterfactual(UP, "up", "down")
        assert np.isfinite(moved).all()
        new = ImageDomainCounterfactual.load(model.save(tmp_path / "far.model"))
        assert new.flow == far
        np.testing.assert_array_equal(new.counterfactual(UP, "up", "down"), moved)

    def test_a_reloaded_model_answers_the_same_to_the_last_bit(self, fitted, tmp_path):
        path = fitted.save(tmp_path / "a.model")
        new = ImageDomainCounterfactual.load(path)
        for question in (("up", "down"), ("down", "up")):
            np.testing.assert_array_equal(
                new.counterfactual(UP, *question), fitted.counterfactual(UP, *question)
            )
        np.testing.assert_array_equal(
            new.sample(2, domain="up", random_state=0),
            fitted.sample(2, domain="up", random_state=0),
        )
        assert new.get_params() == fitted.get_params()
        assert (new.domains_, new.notes_) == (fitted.domains_, fitted.notes_)
        assert new.save(tmp_path / "b.model").read_bytes() == path.read_bytes()

    def test_the_share_of_detail_is_kept(self, can, tmp_path):
        shares = np.array([[1, 0.25], [0.75, 1]])
        estimator = ImageDomainCounterfactual(**SMALL, detail=True)
        vars(estimator).update(vars(can) | {"model_": replace(can.model_, detail=shares)})
        new = ImageDomainCounterfactual.load(path := estimator.save(tmp_path / "a.model"))
        np.testing.assert_array_equal(new.model_.detail, shares)
        moved = estimator.counterfactual(UP, "up", "down")
        np.testing.assert_array_equal(new.counterfactual(UP, "up", "down"), moved)
        assert not np.array_equal(can.counterfactual(UP, "up", "down"), moved)
        header, arrays = read_model(path)
        header["model"]["ImageILD"]["detail"] = [[1.0, 0.5, 0.0]] * 2
        write_model(path, header, arrays)
        with pytest.raises(ModelFileError, match="detail must have 2 rows of 2 shares"):
            ImageDomainCounterfactual.load(path)

    def test_an_older_file_names_neither_detail_nor_the_weight_of_pairs(self, can, tmp_path):
        header, arrays = read_model(path := can.save(tmp_path / "a.model"))
        del header["settings"]["detail"], header["settings"]["flow"]["paired"]
        del header["model"]["ImageILD"]["detail"]
        write_model(path, header, arrays)
        new = ImageDomainCounterfactual.load(path)
        assert new.get_params() == can.get_params()
        assert new.model_.detail is None

    def test_it_answers_the_same_in_float32(self, can, tmp_path):
        path = can.save(tmp_path / "a.model")
        with jax.enable_x64(False):
            new = ImageDomainCounterfactual.load(path).counterfactual(UP, "up", "down")
        np.testing.assert_allclose(new, can.counterfactual(UP, "up", "down"), atol=1e-5)

    def test_a_file_of_the_first_format_answers_the_same(self, can, tmp_path):
        """Its model had no name and all of the file's arrays."""
        header, arrays = read_model(can.save(tmp_path / "new.model"))
        built = {n: v for n, v in header["model"]["ImageILD"].items() if n != "arrays"}
        old = tmp_path / "old.model"
        write_model(old, header | {"model": built}, arrays)
        old.write_bytes(old.read_bytes().replace(b"format 2", b"format 1", 1))
        new = ImageDomainCounterfactual.load(old)
        np.testing.assert_array_equal(
            new.counterfactual(UP, "up", "down"), can.counterfactual(UP, "up", "down")
        )

    def test_the_kind_of_a_file_is_known(self, can, tmp_path):
        path = can.save(tmp_path / "a.model")
        assert isinstance(CounterfactualEstimator.load(path), ImageDomainCounterfactual)
        with pytest.raises(ModelFileError, match="it holds no model of tables"):
            DomainCounterfactual.load(path)

    def test_an_edited_file_is_refused(self, fitted, tmp_path):
        path = fitted.save(tmp_path / "a.model")
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(bytes(content))
        with pytest.raises(ModelFileError, match=r"a\.model: it is cut short or was edited"):
            ImageDomainCounterfactual.load(path)

    @pytest.mark.parametrize(
        ("edit", "message"),
        [
            (lambda h: h.update(kind="table"), "holds no model of images"),
            (lambda h: part(h, "codes").update(k=2), "must have the shapes"),
            (
                lambda h: part(h, "autoencoder").update(m=-1),
                r"must be a whole number in 1\.\.",
            ),
            (
                lambda h: part(h, "codes").update(width=10**9),
                "must be a whole number",
            ),
            (lambda h: h["settings"].update(depth=3), "no other entries than"),
            (lambda h: h.pop("model"), "with the entry 'model'"),
            (lambda h: h["domains"].append("left"), "domains must be 2 names"),
            (lambda h: h.update(domains=["up", "up"]), "labels that all differ"),
            (lambda h: h.update(domains=["up", "all"]), "must not be called 'all'"),
            (lambda h: part(h, "codes").update(num_domains=4096), "arrays must"),
        ],
    )
    def test_a_header_that_does_not_fit_is_refused(self, fitted, tmp_path, edit, message):
        path = fitted.save(tmp_path / "a.model")
        header, arrays = read_model(path)
        edit(header)
        write_model(path, header, arrays)
        with pytest.raises(ModelFileError, match=f"a.model.*{message}"):
            ImageDomainCounterfactual.load(path)


class TestMistakes:
    @pytest.mark.parametrize("ask", ["counterfactual", "reconstruct", "sample", "save"])
    def test_asked_before_it_is_fitted(self, ask, tmp_path):
        arguments = {
            "counterfactual": (UP, 0, 1),
            "reconstruct": (UP,),
            "save": (tmp_path / "a",),
            "sample": (1,),
        }[ask]
        named = {"domain": 0} if ask == "sample" else {}
        with pytest.raises(NotFittedError):
            getattr(ImageDomainCounterfactual(), ask)(*arguments, **named)

    @pytest.mark.parametrize(
        ("images", "message"),
        [
            (np.zeros((2, 9, 9)), r"height, width and channels of those fitted, \(8, 8, 1\)"),
            (np.zeros((2, 8, 8, 3)), r"got \(8, 8, 3\)"),
            (np.full((2, 8, 8), 300), r"images of integers must lie in 0\.\.255; got 300\.\.300"),
            (np.full((2, 8, 8), 1.5), r"images of floats must lie in 0\.\.1"),
            (np.zeros((8, 8)), "images must have shape"),
        ],
    )
    def test_wrong_images(self, fitted, images, message):
        with pytest.raises(ValueError, match=message):
            fitted.counterfactual(images, 0, 1)

    @pytest.mark.parametrize("label", ["left", 2, -1, 0.5, True])
    def test_unknown_domains(self, fitted, label):
        with pytest.raises(DomainError, match=r"target must be domains of the fit, \['down', 'up'"):
            fitted.counterfactual(UP, "up", label)

    def test_as_many_labels_as_images(self, fitted):
        with pytest.raises(ValueError, match="source must have one label per row"):
            fitted.counterfactual(UP, ["up"], "down")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((ALL, np.repeat("up", 70)), "domains must be at least 2"),
            ((ALL, WHERE[1:]), "domains must have one label per image, 70"),
            ((ALL,), "domains must have one label per image, 70"),
            (({"a": UP, "b": DOWN}, WHERE), "domains must be left out"),
            (({"a": UP, "b": np.zeros((2, 9, 9))},), r"images\['b'\] must have the size"),
            (({"a": UP, "b": np.zeros((2, 8, 8, 3))},), r"images\['b'\] must have the size"),
            (({"a": UP},), "domains must be at least 2"),
            (("/nowhere/at/all",), "/nowhere/at/all is not a directory"),
        ],
    )
    def test_wrong_data(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            ImageDomainCounterfactual(**SMALL).fit(*arguments)

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"k": 9}, r"k in 1\.\.m; got m=3 and k=9"),
            ({"m": 1}, "m must be at least 2"),
            ({"beta": 0.0}, "beta must be positive"),
            ({"variant": "all"}, "variant must be one of"),
            ({"architecture": "gan"}, "architecture must be one of"),
            ({"size": 100_000}, r"height × width × m must be at most 16777216; got 100000, 1"),
            ({"m": 1_000_000}, "height × width × m must be at most"),
        ],
    )
    def test_wrong_settings(self, wrong, message):
        with pytest.raises(ValueError, match=message):
            ImageDomainCounterfactual(**(SMALL | wrong)).fit(ALL, WHERE)

    def test_an_empty_folder_and_a_broken_file_are_named(self, tmp_path):
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        Image.fromarray(as_bytes(UP)[0]).save(tmp_path / "a" / "0.png")
        with pytest.raises(ValueError, match="b must hold images of its domain; got none"):
            ImageDomainCounterfactual().fit(tmp_path)
        (tmp_path / "b" / "broken.png").write_bytes(b"no image")
        with pytest.raises(ValueError, match=r"broken\.png"):
            ImageDomainCounterfactual().fit(tmp_path)


def test_a_number_that_is_a_name_is_that_name():
    assert image_codes("source", [1, 2], 2, ("1", "2")).tolist() == [0, 1]
    with pytest.raises(DomainError, match=r"\['1', '2'\]; got 0"):
        image_codes("source", 0, 1, ("1", "2"))


def test_a_domain_of_one_image_is_named():
    with pytest.raises(ValueError, match=r"at least 2 images, .*\['down'\] have one"):
        ImageDomainCounterfactual(**SMALL).fit(ALL[:41], WHERE[:41])
