"""From a folder of images to a model to a folder of images, through the command alone."""

import json
import re

import numpy as np
import pytest
from PIL import Image

from elsewhere import ImageDomainCounterfactual
from elsewhere.cli import image_folders
from elsewhere.datasets.pictures.files import read_image
from elsewhere.estimators import image_domain_counterfactual
from elsewhere.images.fit_codes import FlowSettings

pytestmark = pytest.mark.usefixtures("compile_fast")
TINY = FlowSettings(couplings=1, width=4, steps=20)
BAD = 1
FIT = ("--m", "3", "--steps", "20")


def save(path, seed, colour=False, size=8):
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = rng.integers(0, 256, (size, size, 3) if colour else (size, size), np.uint8)
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    """Two domains, one of them with classes."""
    folder = tmp_path_factory.mktemp("data") / "scans"
    for i in range(6):
        save(folder / "new" / f"{i}.png", i)
        save(folder / "old" / ("cat" if i % 2 else "dog") / f"{i}.bmp", 10 + i)
    return folder


@pytest.fixture(scope="module")
def model(scans, tmp_path_factory):
    estimator = ImageDomainCounterfactual(m=3, steps=20, flow=TINY).fit(scans)
    return estimator.save(tmp_path_factory.mktemp("model") / "scans.model")


def check(answer, code, message):
    assert answer.code == code, answer
    assert message in " ".join(answer.err.split())
    assert "Traceback" not in answer.err
    assert not answer.out
    assert answer.err.startswith("elsewhere: ")
    assert len(answer.err.splitlines()) == 1


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


class TestFit:
    def test_the_command_and_python_give_the_same_model(self, run, scans, tmp_path, monkeypatch):
        monkeypatch.setattr(image_domain_counterfactual, "FlowSettings", lambda: TINY)
        out = tmp_path / "m.model"
        fit = run("fit", scans, "--out", out, *FIT, "--seed", "3", "--json")
        assert fit.code == 0, fit.err
        summary = json.loads(fit.out)
        assert summary["images"] == {"new": 6, "old": 6}
        assert [summary[name] for name in ("height", "width", "channels", "m", "k")] == [
            8,
            8,
            1,
            3,
            1,
        ]
        assert summary["seconds"] > 0
        same = ImageDomainCounterfactual(m=3, steps=20, random_state=3).fit(scans)
        assert out.read_bytes() == same.save(tmp_path / "same.model").read_bytes()

    def test_choices_reach_the_estimator(self, run, scans, tmp_path, monkeypatch):
        made = []
        monkeypatch.setattr(
            ImageDomainCounterfactual,
            "fit",
            lambda self, images, pairs, progress: made.append(self.get_params()) or self,
        )
        monkeypatch.setattr(ImageDomainCounterfactual, "save", lambda self, out: out)
        monkeypatch.setattr(
            "elsewhere.cli.image_kind.ImageKind.summary",
            lambda self, estimator: {
                "height": 8,
                "width": 8,
                "channels": 1,
                "m": 3,
                "k": 2,
                "notes": ["so and so."],
            },
        )
        base = ("fit", scans, "--out", tmp_path / "m")
        fit = run(*base, "--size", "8", "--colours", "2", "--far", "--k", "2")
        assert fit.code == 0, fit.err
        assert fit.err.startswith("note: so and so.")
        assert "12 images of 2 domains, 8 × 8 pixels, 1 channel(s), codes of 3" in fit.err
        assert run(*base, "--k", "dense").code == 0
        first, second = made
        assert (first["size"], first["colours"], first["k"]) == (8, 2, 2)
        assert first["flow"].matching
        assert second["variant"] == "dense"
        assert second["flow"] is None

    @pytest.mark.parametrize(
        ("more", "code", "message"),
        [
            (["--domain", "site"], BAD, "--domain works only with tables; "),
            (["--columns", "a,b"], BAD, "--columns works only with tables; "),
            (["--mixing", "linear"], BAD, "--mixing works only with tables; "),
            (["--links", "auto"], BAD, "--links works only with tables; "),
            (["--k", "0"], BAD, "k in 1..m; got m=3 and k=0"),
            (["--k", "many"], BAD, "--k must be auto, dense or a number"),
            (["--colours", "3"], BAD, "colours must be fewer than the m=3 numbers"),
        ],
    )
    def test_wrong_choices(self, run, scans, tmp_path, more, code, message):
        check(run("fit", scans, "--out", tmp_path / "m", *FIT, *more), code, message)
        assert not (tmp_path / "m").exists()

    @pytest.mark.parametrize("option", ["--size", "--m", "--colours", "--steps"])
    def test_choices_of_images_mean_nothing_for_a_table(self, run, data, tmp_path, option):
        fit = run("fit", data, "--domain", "site", "--out", tmp_path / "m", option, "9")
        check(fit, BAD, f"{option} works only with folders of images")

    def test_a_table_needs_its_column_of_domains(self, run, data, tmp_path):
        check(run("fit", data, "--out", tmp_path / "m"), BAD, "--domain must name the column")
        typed_wrong = run("fit", tmp_path / "scanz", "--out", tmp_path / "m")
        check(typed_wrong, BAD, "scanz is not a folder of images")

    def test_a_folder_that_is_not_usable_is_named(self, run, scans, tmp_path):
        save(tmp_path / "d" / "a" / "0.png", 0)
        check(run("fit", tmp_path / "d", "--out", tmp_path / "m"), BAD, "at least 2")
        (tmp_path / "d" / "b").mkdir()
        check(run("fit", tmp_path / "d", "--out", tmp_path / "m"), BAD, "b must hold images")
        save(tmp_path / "d" / "b" / "0.png", 0, size=9)
        check(run("fit", tmp_path / "d", "--out", tmp_path / "m"), BAD, "0.png must have the size")


class TestCounterfactual:
    def test_answers_stand_where_the_images_stood(self, run, model, scans, tmp_path):
        out = tmp_path / "as-new"
        moved = run("counterfactual", model, scans, "--to", "new", "--out", out)
        assert moved.code == 0, moved.err
        assert "12 images" in moved.err
        wanted = [f"new/{i}.png" for i in range(6)]
        wanted += [f"old/{'cat' if i % 2 else 'dog'}/{i}.png" for i in range(6)]
        assert files(out) == sorted(wanted)
        np.testing.assert_array_equal(
            read_image(out / "new" / "2.png"), read_image(scans / "new" / "2.png")
        )
        question = read_image(scans / "old" / "dog" / "0.bmp")[None]
        estimator = ImageDomainCounterfactual.load(model)
        answer = estimator.counterfactual(question, source="old", target="new")
        np.testing.assert_array_equal(read_image(out / "old" / "dog" / "0.png"), answer[0])

    def test_all_is_a_folder_for_each_domain(self, run, model, scans, tmp_path, monkeypatch):
        monkeypatch.setattr(image_folders, "AT_ONCE", 5)
        out = tmp_path / "o"
        ask = ("counterfactual", model, scans / "new", "--from", "new", "--to", "all")
        moved = run(*ask, "--out", out, "--json")
        assert moved.code == 0, moved.err
        summary = json.loads(moved.out)
        assert (summary["images"], summary["images_written"]) == (6, 12)
        assert files(out) == [f"{d}/{i}.png" for d in ("new", "old") for i in range(6)]

    def test_one_image_to_one_file(self, run, model, scans, tmp_path):
        one = scans / "new" / "0.png"
        ask = ("counterfactual", model, one, "--from", "new", "--to", "old")
        assert run(*ask, "--out", tmp_path / "a.png").code == 0
        assert run(*ask, "--out", tmp_path / "folder").code == 0
        assert files(tmp_path) == ["a.png", "folder/0.png"]
        assert (tmp_path / "a.png").read_bytes() == (tmp_path / "folder/0.png").read_bytes()

    def test_nothing_is_replaced_unasked(self, run, model, scans, tmp_path):
        out = tmp_path / "o"
        ask = ("counterfactual", model, scans, "--to", "new", "--out", out)
        assert run(*ask).code == 0
        (out / "new" / "0.png").write_bytes(b"mine")
        check(run(*ask), BAD, "already exists. Add --force")
        assert (out / "new" / "0.png").read_bytes() == b"mine"
        assert run(*ask, "--force").code == 0
        assert (out / "new" / "0.png").read_bytes() != b"mine"

    def test_the_images_asked_about_are_never_replaced(self, run, model, tmp_path):
        path = save(tmp_path / "new" / "0.png", 0)
        before = path.read_bytes()
        ask = ("counterfactual", model, tmp_path, "--to", "old", "--force")
        check(run(*ask, "--out", tmp_path / "new" / ".."), BAD, "is an input and would be")
        assert path.read_bytes() == before

    def test_two_images_of_one_name_are_refused(self, run, model, tmp_path):
        for suffix in ("png", "bmp"):
            save(tmp_path / "d" / "new" / f"a.{suffix}", 0)
        ask = ("--to", "old", "--out", tmp_path / "o")
        check(run("counterfactual", model, tmp_path / "d", *ask), BAD, "two images would both")

    @pytest.mark.parametrize(
        ("more", "code", "message"),
        [
            (["--to", "older"], BAD, "domain 'older' is not in the model"),
            (["--to", "new", "--from", "older"], BAD, "domain 'older' is not in the model"),
            (["--to", "new", "--from", "old"], BAD, "must hold images of 'old' itself"),
            (["--to", "new", "--spread"], BAD, "--spread works only with table models"),
            (["--to", "new", "--out", "-"], BAD, "--out - works only with table models"),
        ],
    )
    def test_wrong_choices(self, run, model, scans, tmp_path, more, code, message):
        ask = ("counterfactual", model, scans, "--out", tmp_path / "o", *more)
        check(run(*ask), code, message)
        assert not (tmp_path / "o").exists()

    @pytest.mark.parametrize(
        ("place", "how", "message"),
        [
            ("new/a.png", {"size": 9}, "a.png must have the height, width and channels"),
            ("new/a.png", {"colour": True}, "got (8, 8, 3)"),
            ("newer/a.png", {}, "domain 'newer' is not in the model"),
            ("a.png", {}, "must hold one sub-folder per domain; got none"),
        ],
    )
    def test_wrong_images_are_named(self, run, model, tmp_path, place, how, message):
        save(tmp_path / "d" / place, 0, **how)
        ask = ("counterfactual", model, tmp_path / "d", "--to", "old", "--out", tmp_path / "o")
        check(run(*ask), BAD, message)
        assert not (tmp_path / "o").exists()

    def test_broken_and_missing_files_are_named(self, run, model, tmp_path):
        ask = ("--to", "old", "--out", tmp_path / "o")
        (tmp_path / "d" / "new").mkdir(parents=True)
        (tmp_path / "d" / "new" / "a.png").write_bytes(b"no image")
        check(run("counterfactual", model, tmp_path / "d", *ask), BAD, "a.png must be a whole")
        missing = run("counterfactual", model, tmp_path / "none", *ask)
        check(missing, BAD, "none must be a folder with one sub-folder per domain")
        alone = run("counterfactual", model, tmp_path / "b.png", "--from", "new", *ask)
        check(alone, BAD, "b.png must be a whole image file")

    def test_models_and_data_of_different_kinds(self, run, model, scans, data, tmp_path):
        ask = ("--to", "new", "--out", tmp_path / "o")
        check(run("counterfactual", model, data, *ask), BAD, "must be a folder")
        from table_data import fitted

        of_a_table = fitted().save(tmp_path / "t.model")
        ask = ("--to", "north", "--out", tmp_path / "o.csv")
        check(run("counterfactual", of_a_table, scans, *ask), BAD, "must end in one of .csv")


@pytest.mark.parametrize("name", ["../x", "..", ".", "/x"])
def test_a_name_that_leads_out_of_the_folder_is_no_folder(tmp_path, name):
    asked = [image_folders.AskedImage(tmp_path / "a.png", "x", tmp_path / "a.png")]
    with pytest.raises(ValueError, match=rf"domain '{re.escape(name)}' names no folder"):
        image_folders._places(asked, tmp_path, [name, "y"], every=True)


class TestOthers:
    def test_inspect(self, run, model):
        shown = run("inspect", model)
        assert shown.code == 0, shown.err
        assert "old" in shown.out
        found = json.loads(run("inspect", model, "--json").out)
        assert (found["domains"], found["height"], found["channels"]) == (["new", "old"], 8, 1)

    def test_evaluate(self, run, model, scans):
        shown = run("evaluate", model, scans)
        assert shown.code == 0, shown.err
        assert "Does the model see what is in an image?" in " ".join(shown.out.split())
        found = json.loads(run("evaluate", model, scans, "--json").out)
        assert [one["domain"] for one in found["seen"]] == ["new", "old"]

    def test_report(self, run, model, scans, tmp_path):
        made = run("report", model, scans, "--out", tmp_path / "r.html")
        assert made.code == 0, made.err
        assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")

    @pytest.mark.parametrize("command", ["evaluate", "report"])
    def test_one_domain_is_too_few_and_columns_mean_nothing(self, run, model, scans, command):
        check(
            run(command, model, scans / "new", "--from", "new", *_out(command, scans)),
            BAD,
            "at least 2 of the domains",
        )
        asked = run(command, model, scans, "--invariants", "a", *_out(command, scans))
        check(asked, BAD, "--invariants works only with table models")


def _out(command, folder):
    return ["--out", folder.parent / "never.html"] if command == "report" else []
