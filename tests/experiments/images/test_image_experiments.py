"""An image experiment from end to end on tiny scenes: run, stop, go on, read."""

import io
import json
import pickle
from dataclasses import replace

import jax
import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from elsewhere.datasets.pictures import rendered_shapes
from elsewhere.datasets.pictures.download import DownloadError
from elsewhere.experiments import results, rows
from elsewhere.experiments.images import methods, reproduce, store
from elsewhere.experiments.images.methods import ImageMethod, ImagePlan
from elsewhere.experiments.images.pairs import drawn_pairs
from elsewhere.experiments.images.reproduce import _terminal, list_images, reproduce_images
from elsewhere.experiments.images.settings import (
    IMAGE_EXPERIMENTS,
    ImageSetting,
    folder_of,
    setting_of,
)
from elsewhere.experiments.images.tables import (
    JUDGES,
    SHARES,
    judge_cells,
    markdown_table,
    note,
    table_cells,
)
from elsewhere.images.code_loss import NONE
from elsewhere.images.elbo import CoderSettings
from elsewhere.images.fit_codes import FlowSettings

pytestmark = pytest.mark.usefixtures("compile_fast")
TINY = ImageSetting(
    "tiny rooms",
    "shapes",
    10,
    side=8,
    m=2,
    k=1,
    ks=(1, 2),
    coder=CoderSettings(steps=20),
    flow=FlowSettings(couplings=1, width=4, steps=20, batch=16),
    judge_steps=20,
    recipe_steps=20,
    recipe_batch=16,
)
PLAN = ImagePlan(seeds=(0, 1))


@pytest.fixture(scope="module")
def patch():
    """One tiny data set, and training that stays at its first guess: it is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(IMAGE_EXPERIMENTS, "I4", TINY)
        for module in ("training", "elbo", "fit_codes", "appearance", "paper_recipe"):
            patch.setattr(f"elsewhere.images.{module}.descend", lambda _, model, *__, **___: model)
        yield patch


@pytest.fixture(scope="module")
def out(patch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    assert reproduce_images(["I4"], folder, PLAN, "elsewhere reproduce I4") == [folder / "I4"]
    return folder


class Counter:
    """What is trained, by name, in the place of a function that trains."""

    def __init__(self, patch, module, name):
        self.calls, real = 0, getattr(module, name)

        def counted(*arguments, **named):
            self.calls += 1
            return real(*arguments, **named)

        patch.setattr(module, name, counted)


@pytest.fixture
def trained(monkeypatch):
    """How often judges, autoencoders and models of codes are trained; pictures are left out."""
    monkeypatch.setattr(results, "save", lambda *_: None)
    monkeypatch.setattr(reproduce, "save", lambda *_: None)
    places = (
        (store, "train_classifier"),
        (store, "train_autoencoder"),
        (methods, "fit_codes"),
        (methods, "image_scores"),
    )
    counters = [Counter(monkeypatch, *place) for place in places]
    return lambda: [counter.calls for counter in counters]


class TestRun:
    def test_everything_is_there(self, out):
        found = {path.name for path in (out / "I4").iterdir()}
        pictures = {"failures.png"}
        pictures |= {f"grid-{name}.png" for name in ("can", "identity", "dense", "independent")}
        assert found == pictures | {"rows.csv", "table.md", "made-by.json"}
        assert [path.name for path in (out / "graphs").iterdir()] == ["shapes.png"]

    def test_rows_are_tidy(self, out):
        rows = pd.read_csv(out / "I4" / "rows.csv")
        assert rows["label"].unique().tolist() == [
            "ILD-Can, k = 1",
            "ILD-Identity-Can",
            "ILD-Dense",
            "ILD-Independent",
        ]
        assert rows["seed"].tolist() == [0, 1] * 4
        assert rows["k"].tolist() == [1, 1, 1, 1, 2, 2, 2, 2]
        assert rows["preservation"].between(0, 1).all()
        assert rows["pixel_error"].notna().all()
        assert rows["class_accuracy"].nunique() == 1

    def test_what_made_it_is_written_beside(self, out):
        made_by = json.loads((out / "I4" / "made-by.json").read_text())
        assert made_by["command"] == "elsewhere reproduce I4"
        assert made_by["seeds"] == [0, 1]
        assert made_by["settings"]["flow"]["couplings"] == 1
        assert made_by["versions"]["jax"]
        text = (out / "I4" / "table.md").read_text()
        assert text.startswith("# I4: tiny rooms\n\nMean ± standard deviation over 2 seeds")
        assert "| domain, reconstructed |" in text

    def test_other_judges_have_a_folder_of_their_own(self, out, trained, monkeypatch):
        train = store.train_classifier  # the small network in ResNet-18's place: it compiles fast
        small = lambda *given, **named: train(*given, **named | {"network": "small"})  # noqa: E731
        monkeypatch.setattr(store, "train_classifier", small)
        plan, before = ImagePlan(seeds=(0,), network="resnet18"), trained()
        found = reproduce_images(["I4"], out, plan, "elsewhere reproduce I4 --network resnet18")
        assert found == [out / "I4-resnet18"]
        assert "Judges: resnet18." in (found[0] / "table.md").read_text()
        assert "Judges: small." in (out / "I4" / "table.md").read_text()
        assert {path.name for path in found[0].glob("*.png")} <= {"failures.png"}
        fresh = [after - first for after, first in zip(trained(), before, strict=True)]
        assert fresh[:3] == [2, 0, 0]  # two judges; autoencoder and models are those of before

    def test_recipes_alone_need_no_autoencoder(self, out, trained):
        plan = ImagePlan(seeds=(0,), only=("recipe_dense", "recipe_can"))
        (folder,) = reproduce_images(["I4"], out / "recipe", plan, "elsewhere reproduce I4")
        rows = pd.read_csv(folder / "rows.csv")
        assert rows["method"].tolist() == ["recipe_can", "recipe_dense"]
        assert trained()[1:3] == [0, 0]
        assert not [path.name for path in folder.glob("grid*")]

    def test_likelihood_alone_has_every_k_and_no_weight(self, out, monkeypatch):
        seen, real = [], methods.fit_codes

        def noted(*arguments, settings, **named):
            seen.append((named["variant"], named["k"], settings))
            return real(*arguments, settings=settings, **named)

        monkeypatch.setattr(methods, "fit_codes", noted)
        plan = ImagePlan(seeds=(0,), ks=(1, 2), only=("likelihood",))
        (folder,) = reproduce_images(["I4"], out / "alone", plan, "elsewhere reproduce I4")
        free = replace(TINY.flow, change=NONE, volume=NONE)
        assert seen == [("can", 1, free), ("can", 2, free)]
        rows = pd.read_csv(folder / "rows.csv")
        assert rows["label"].tolist()[1] == "ILD-Can by likelihood alone, k = 2"
        found = {path.name for path in folder.glob("*.png")}
        assert found == {"grid-likelihood.png", "against-k.png"}

    def test_a_second_run_trains_and_judges_nothing(self, out, trained):
        before = (out / "I4" / "table.md").read_text()
        reproduce_images(["I4"], out, PLAN, "elsewhere reproduce I4")
        assert trained() == [0, 0, 0, 0]
        assert (out / "I4" / "table.md").read_text() == before

    def test_what_is_missing_can_be_made_in_other_processes(self, out, trained, monkeypatch):
        """Here they are this one; that tasks reach others is tested with `run_all`."""
        seen = []

        def run(tasks, jobs):
            assert jobs == 2
            seen.extend(pickle.loads(pickle.dumps(task)).run() for task in tasks)

        monkeypatch.setattr(reproduce, "run_all", run)
        for path in (out / "cache" / "I4").glob("dense-k2-s1-*"):
            path.unlink()
        reproduce_images(["I4"], out, replace(PLAN, jobs=2), "elsewhere reproduce I4")
        assert seen == ["ILD-Dense, seed 1"]
        assert trained() == [0, 0, 1, 1]

    def test_a_run_that_was_stopped_goes_on(self, out, trained, capsys):
        """A lost row is judged again; with its model lost too, that is fitted again, and said."""
        cache = out / "cache" / "I4"
        before = pd.read_csv(out / "I4" / "rows.csv")
        (row,) = cache.glob("can-k1-s1-*.json")
        row.unlink()
        reproduce_images(["I4"], out, PLAN, "again")
        assert trained() == [0, 0, 0, 1]
        (model,) = cache.glob("can-k1-s1-*.model")
        row.unlink()
        model.unlink()
        reproduce_images(["I4"], out, PLAN, "again")
        assert trained() == [0, 0, 1, 2]
        assert capsys.readouterr().err == "I4: ILD-Can, k = 1\n"
        after = pd.read_csv(out / "I4" / "rows.csv")
        pd.testing.assert_frame_equal(after.drop(columns="seconds"), before.drop(columns="seconds"))

    def test_what_other_code_made_is_made_again(self, out, trained, monkeypatch, capsys):
        monkeypatch.setattr(rows, "code_fingerprint", lambda module: "other")
        reproduce_images(["I4"], out, replace(PLAN, seeds=(0,)), "again")
        assert trained() == [2, 1, 4, 4]
        assert "4 kept row(s) were made by other code" in capsys.readouterr().err
        for path in (out / "cache" / "I4").glob("*.json"):
            path.unlink()  # the tests that follow see this code again

    def test_other_settings_are_another_model_but_the_same_autoencoder(
        self, out, trained, monkeypatch
    ):
        flow = replace(TINY.flow, steps=40)
        monkeypatch.setitem(IMAGE_EXPERIMENTS, "I4", replace(TINY, flow=flow))
        reproduce_images(["I4"], out, replace(PLAN, seeds=(0,)), "tuned")
        assert trained() == [0, 0, 4, 4]

    def test_another_draw_shares_nothing(self, out, trained):
        one = replace(PLAN, seeds=(0,))
        reproduce_images(["I4"], out, one, "drawn again", draw=1)
        assert trained() == [2, 1, 4, 4]
        made_by = json.loads((out / "I4" / "made-by.json").read_text())
        assert made_by["settings"]["draw"] == 1

    def test_curves_and_the_recipe(self, out, monkeypatch):
        """I7 asks for every k of every data set; here there is one, and another has no data."""
        real = reproduce.load

        def load(setting, directory):
            if setting.source == "fashion-mnist":
                raise DownloadError("no garments.")
            return real(setting, directory)

        monkeypatch.setattr(reproduce, "load", load)
        few = {name: IMAGE_EXPERIMENTS[name] for name in ("I2", "I4")}
        monkeypatch.setattr(reproduce, "IMAGE_EXPERIMENTS", few)
        plan = ImagePlan(seeds=(0,), recipe=True)
        with pytest.raises(DownloadError, match=r"I2: no garments\."):
            reproduce_images(["I7"], out, plan, "elsewhere reproduce I7 --recipe")
        rows = pd.read_csv(out / "I4" / "rows.csv").set_index("label")
        assert rows.index.tolist() == [
            "ILD-Can, k = 1",
            "ILD-Can, k = 2",
            "ILD-Identity-Can",
            "ILD-Dense",
            "ILD-Independent",
            "ILD-Can, the paper's recipe, k = 2",
            "ILD-Dense, the paper's recipe",
            "ILD-Independent, the paper's recipe",
        ]
        assert (out / "I4" / "against-k.png").exists()

    def test_pairs_of_can_and_dense(self, out, trained):
        plan = ImagePlan(seeds=(0,), only=("can", "dense", "identity"), pairs=(2,))
        (folder,) = reproduce_images(["I4"], out, plan, "elsewhere reproduce I4 --pairs 2")
        rows = pd.read_csv(folder / "rows.csv")
        assert rows["pairs"].tolist() == [0, 2, 0, 0, 2]
        assert rows["label"].tolist()[1] == "ILD-Can, k = 1, 2 pairs"
        assert rows["label"].tolist()[-1] == "ILD-Dense, 2 pairs"
        assert trained()[1:] == [0, 2, 2]  # the others were kept

    def test_pairs_are_the_same_thing_in_two_domains(self):
        data = rendered_shapes(jax.random.key(0), 10, size=8).valid
        found = drawn_pairs(np.random.default_rng(0), data, len(data))
        assert (found.d != found.d_prime).all()
        for image, other, d, d_prime in zip(*found, strict=True):
            row = next(i for i in data.rows_of(int(d)) if (data.images[i] == image).all())
            np.testing.assert_array_equal(data.counterfactual(row, int(d_prime))[0], other)
        with pytest.raises(ValueError, match=r"pairs must be at most the \d+ validation images"):
            drawn_pairs(np.random.default_rng(0), data, len(data) + 1)
        with pytest.raises(ValueError, match="the truth of these images is not known; got 2"):
            drawn_pairs(np.random.default_rng(0), replace(data, truth=None), 2)


class TestSettings:
    def test_quick_is_less_of_everything(self):
        for name in ("I1", "I2", "I3", "I5"):
            full, quick = setting_of(name), setting_of(name, quick=True)
            assert (quick.m, quick.k, quick.side) == (full.m, full.k, full.side)
            assert quick.coder.steps <= full.coder.steps
            assert quick.amount is not None

    def test_k_lies_within_m(self):
        for setting in IMAGE_EXPERIMENTS.values():
            assert set(setting.ks) | {setting.k} <= set(range(1, setting.m + 1))
            assert setting.k in setting.ks
            assert setting.m in setting.ks

    def test_an_unknown_experiment(self, tmp_path):
        with pytest.raises(ValueError, match=r"one of I1, I2, I3, I4, I5, I7; got 'I6'"):
            reproduce_images(["I6"], tmp_path, PLAN, "")

    def test_digits_are_never_taken_for_garments(self, tmp_path):
        assert folder_of(None, "mnist") is None
        assert folder_of(tmp_path, "mnist") == tmp_path
        assert folder_of(tmp_path, "fashion-mnist") == tmp_path / "fashion-mnist"
        (tmp_path / "mnist").mkdir()
        assert folder_of(tmp_path, "mnist") == tmp_path / "mnist"
        named = tmp_path / "fashion-mnist"
        assert folder_of(named, "fashion-mnist") == named

    def test_every_experiment_is_listed(self):
        assert list_images().row_count == len(IMAGE_EXPERIMENTS) + 1

    def test_methods_of_a_plan(self):
        plan = ImagePlan(ks=(2, None), recipe=True)
        found = [(m.name, m.k) for m in plan.methods(replace(TINY, m=8))]
        assert found == [
            ("can", 1),
            ("can", 2),
            ("can", 8),
            ("identity", 1),
            ("dense", 8),
            ("independent", 8),
            ("recipe_can", 5),
            ("recipe_dense", 8),
            ("recipe_independent", 8),
        ]
        with pytest.raises(ValueError, match=r"k must be in 1\.\.2, the dimension .* got 3"):
            ImagePlan(ks=(3,)).methods(TINY)


class TestTables:
    @pytest.fixture
    def frame(self):
        """Two seeds of Can, one of Dense whose truth is not known."""
        shares = dict.fromkeys((*SHARES, *JUDGES), 0.5)
        rows = [
            {"label": "Can", "seed": 0, "pixel_error": 1.0, "minimality": 0.1, **shares},
            {"label": "Can", "seed": 1, "pixel_error": 3.0, "minimality": 0.3, **shares},
            {"label": "Dense", "seed": 0, "pixel_error": None, "minimality": None, **shares},
        ]
        rows[1]["composition"] = 0.7
        return pd.DataFrame(rows).assign(pixel_error_unmoved=12.0)

    def test_mean_and_standard_deviation(self, frame):
        headings, lines = table_cells(frame)
        assert headings == ["model", "Comp", "Rev", "Eff", "Pre", "pixel error", "minimality"]
        assert lines[0][:3] == ["Can", "60.0 ± 14.1", "50.0 ± 0.0"]
        assert lines[0][5:] == ["2.0 ± 1.4", "0.20 ± 0.14"]
        assert lines[1] == ["Dense", "50.0", "50.0", "50.0", "50.0", "", ""]

    def test_models_judged_alike_share_a_line(self, frame):
        _, lines = judge_cells(frame[frame["seed"] == 0])
        assert lines == [["all models", "50.0", "50.0", "50.0", "50.0"]]
        unlike = frame.assign(domain_accuracy=[0.5, 0.5, 0.9], seed=0)
        unlike = pd.concat([unlike[1:], unlike[2:].assign(label="Other")])
        assert [line[0] for line in judge_cells(unlike)[1]] == ["Can", "Dense; Other"]
        assert judge_cells(frame[2:])[1][0][0] == "Dense"

    def test_they_fit_a_terminal(self, frame):
        wide = frame.assign(label="ILD-Identity-Can", pixel_error=[160.4, 158.2, 159.0])
        for cells in (table_cells(wide), judge_cells(wide)):
            console = Console(width=80, record=True, file=io.StringIO())
            console.print(_terminal("t", *cells))
            lines = console.export_text().splitlines()
            assert len(lines) == 7, lines  # title, two of headings, one row, no word broken

    def test_words(self, frame):
        assert "over 2 seeds" in note(frame, 7)
        assert "the 7 test images" in note(frame, 7)
        assert "12.0 for doing nothing" in note(frame, 7)
        assert markdown_table(["a", "b"], [["1", "2"]]).splitlines()[1] == "| --- | --- |"


def test_the_recipe_takes_the_papers_k_but_never_more_than_m():
    assert ImageMethod("recipe_can", 2) in ImagePlan(recipe=True).methods(TINY)
