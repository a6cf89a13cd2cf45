import json
import shutil
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from elsewhere.experiments import methods
from elsewhere.experiments.cells import EXPERIMENTS, Cell, Setting, cells_of
from elsewhere.experiments.figures import error_figure, likelihood_figure
from elsewhere.experiments.fingerprint import code_fingerprint
from elsewhere.experiments.methods import Method, run_methods, run_recipes
from elsewhere.experiments.reproduce import _cells, list_experiments, reproduce
from elsewhere.experiments.results import read_rows
from elsewhere.experiments.summary import by_seed, markdown, summarise
from elsewhere.experiments.sweep import CODE, Plan, collect, sweep, tasks
from elsewhere.fitting import Options, Profile, Pseudo, fit_each
from elsewhere.fitting.paper import fit_paper_many

SETTING = Setting(3, 2, (2,), "sparse")
CELL = Cell("S1", "{3}", SETTING, 1)
PLAN = Plan(seeds=[0], rows=2_000)


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep")
    return out, sweep([CELL], PLAN, out)


def test_the_fit_beats_the_baselines_and_every_method_is_there(swept):
    _, frame = swept
    errors = frame.set_index("method")["error"]
    assert {"can", "dense", "identity", "mean_variance", "combat", "gaussian_ot"} == set(
        errors.index
    )
    assert errors["can"] < errors.drop(["can", "dense"]).min() / 10


def test_rows_say_what_the_truth_is(swept):
    row = swept[1].iloc[0]
    assert row["intervened"] == "{3}"
    assert row["true_size"] == 1
    assert row["seed"] == 0
    assert row["rows"] == 2_000


def test_what_is_done_stays_done(swept):
    out, frame = swept
    assert tasks([CELL], PLAN, out) == []
    (path,) = out.glob("*/can1-s0-*.json")
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"row": kept["row"] | {"error": -1.0}}))
    again = sweep([CELL], PLAN, out)
    assert again["error"][0] == -1.0
    assert len(again) == len(frame)


def test_rows_of_other_code_are_computed_again_and_that_is_said(
    swept, tmp_path, monkeypatch, capsys
):
    out = shutil.copytree(swept[0], tmp_path / "copy")
    monkeypatch.setattr("elsewhere.experiments.rows.code_fingerprint", lambda module: "other")
    (task,) = tasks([CELL], PLAN, out)
    assert set(task.methods) == set(PLAN.methods(CELL))
    assert collect([CELL], PLAN, out).empty
    plain = [method for method in PLAN.methods(CELL) if method.k is None and method.name != "dense"]
    monkeypatch.setattr(Plan, "methods", lambda self, cell: plain)
    sweep([CELL], PLAN, tmp_path / "new")  # nothing is there, and nothing is said of it
    assert "other code" not in capsys.readouterr().err
    frame = sweep([CELL], PLAN, out)
    assert set(frame["method"]) == {method.name for method in plain}
    assert f"{len(plain)} kept row(s) were made by other code" in capsys.readouterr().err
    monkeypatch.undo()
    assert len(tasks([CELL], PLAN, out)[0].methods) == len(plain)


def test_cells_that_share_a_data_set_share_its_rows(swept):
    out, _ = swept
    other = Cell("S2", "2", SETTING, 2)
    (task,) = tasks([CELL, other], PLAN, out)
    assert task.methods == (Method("can", 2),)


def test_the_recipe_fits_all_seeds_at_once():
    plan = Plan(seeds=[0, 1], rows=2_000, recipe=True, auto=True)
    planned = tasks([CELL], plan, Path("nowhere"))
    assert [(t.seeds, t.methods) for t in planned if len(t.seeds) > 1] == [
        ((0, 1), (Method("recipe_can", 1),)),
        ((0, 1), (Method("recipe_dense"),)),
    ]
    assert Method("auto", "auto") in planned[0].methods


def test_seeds_are_done_one_after_the_other():
    planned = tasks(cells_of("S8", "sparse")[:2], Plan(seeds=(0, 1)), Path("nowhere"))
    first, second = (cell.setting for cell in cells_of("S8", "sparse")[:2])
    done = [(task.seeds[0], task.setting) for task in planned]
    assert done == [(0, first), (0, second), (1, first), (1, second)]


def test_only_the_cells_with_so_many_couplings():
    asked = {"data": "sparse", "quick": False, "domains": None, "couplings": 8}
    cells = _cells(["S7", "S7K"], asked)
    assert len(cells) == 9
    assert {cell.couplings for cell in cells} == {8}
    with pytest.raises(ValueError, match=r"--couplings must be among \[4, 8\] here; got 5"):
        _cells(["S7"], asked | {"couplings": 5})


def test_only_the_models_asked_for(swept):
    plan = Plan(seeds=[0], rows=2_000, recipe=True, only=("recipe_dense", "auto"))
    assert plan.methods(CELL) == [
        *(Method("recipe_dense"), Method("auto", "auto")),
        *PLAN.methods(CELL)[2:],
    ]
    frame = collect([CELL], plan, swept[0])
    assert "nats short" not in by_seed("S1", frame)
    with pytest.raises(ValueError, match=r"--models must be among can, .*; got 'ours'"):
        Plan(only=("can", "ours"))


def test_recipe_rows(monkeypatch):
    few_steps = partial(fit_paper_many, steps=100, batch=100)
    monkeypatch.setattr("elsewhere.experiments.methods.fit_paper_many", few_steps)
    rows = dict(run_recipes(SETTING, [0, 1], 500, Method("recipe_can", 1)))
    assert set(rows) == {0, 1}
    assert rows[0]["method"] == "recipe_can"
    assert rows[0]["error"] > 0


def test_reproduce_writes_tables_and_figures(swept, tmp_path):
    (tmp_path / "cache").symlink_to(swept[0])
    assert reproduce([CELL], tmp_path, PLAN, "elsewhere reproduce S1") == [tmp_path / "S1"]
    written = {path.name for path in (tmp_path / "S1").iterdir()}
    assert written == {
        *("rows.csv", "table.md", "seeds.md", "made-by.json"),
        *("figure.png", "likelihood.png"),
    }
    made_by = json.loads((tmp_path / "S1" / "made-by.json").read_text())
    assert made_by["seeds"] == [0]
    assert made_by["code"] == code_fingerprint(CODE)
    again = read_rows(tmp_path / "S1")
    kept = collect([CELL], PLAN, swept[0])
    pd.testing.assert_frame_equal(again[["at", "error"]], kept[["at", "error"]])


def test_models_of_every_kind_are_scored(monkeypatch):
    seen = []

    def quickly(key, train, *, ks, engine, valid):
        if isinstance(engine, Pseudo):
            small = Pseudo(engine.latent, width=4, steps=100)
            return fit_each(key, train, ks=ks, engine=small, valid=valid)
        seen.append((list(ks), engine.couplings))
        small = Profile("linear", options=Options(starts=4))
        return fit_each(key, train, ks=ks, engine=small, valid=valid)

    monkeypatch.setattr("elsewhere.experiments.methods.fit_each", quickly)
    setting = Setting(3, 2, (2,), "sparse", "real_nvp")
    cells = [Cell("S7", "{3}", setting, 1, couplings=2), Cell("S8", "{3}", setting, 1, latent=2)]
    asked = [method for cell in cells for method in PLAN.methods(cell)[:2]]
    rows = dict(run_methods(setting, 0, 500, asked))
    assert list(rows) == asked
    assert seen == [([1, None], 2)]
    assert len({method.file for method in asked}) == 4
    assert all(row["error"] > 0 and row["log_likelihood"] < 10 for row in rows.values())
    on_the_surface = [row.get("error_without_residual") for row in rows.values()]
    assert on_the_surface[:2] == [None, None]
    assert all(found > 0 for found in on_the_surface[2:])


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@pytest.mark.parametrize("bias", ["sparse", "printed"])
def test_cells_are_the_papers(experiment, bias):
    cells = cells_of(experiment, bias)
    assert len({(c.setting, c.k, c.couplings, c.latent) for c in cells}) == len(cells)
    settings = [cell.setting for cell in cells]
    assert all(s.bias == bias and max(s.intervened) < s.m for s in settings)
    assert 0 < len(cells_of(experiment, bias, quick=True)) < len(cells)
    if experiment in ("S3", "S4", "S5"):
        assert all(cell.k == len(cell.setting.intervened) for cell in cells)


def test_an_unknown_experiment_names_the_known_ones():
    with pytest.raises(ValueError, match="S6, S7, S7K, S8, S8K, S11, S11F; got 'S77'"):
        cells_of("S77", "sparse")
    assert list_experiments().row_count == len(EXPERIMENTS) + 2  # S9, S10


class TestSummary:
    @pytest.fixture
    def frame(self):
        cells = cells_of("S1", "sparse", quick=True)
        rows = [
            cell.columns()
            | {"method": method, "seed": seed, "error": value * (seed + 1), "true_size": 2}
            | {"true_log_likelihood": 1.0, "log_likelihood": 0.9 if method == "can" else None}
            for cell in cells
            for seed in (0, 1)
            for method, value in (("can", 0.01), ("gaussian_ot", 1.0))
        ]
        return pd.DataFrame(rows)

    def test_means_and_standard_errors(self, frame):
        table = summarise(frame).query("method == 'gaussian_ot'")
        assert table["mean"].tolist() == [1.5] * 5
        assert table["sem"].tolist() == [0.5] * 5

    def test_markdown_has_a_line_a_cell(self, frame):
        lines = markdown("S1", frame).splitlines()
        assert len(lines) == 2 + 5
        assert lines[2] == "| sparse | 3 | 6 | {1,2} | 2 | 0.015 ± 0.005 | 1.5 ± 0.5 |"

    def test_one_seed_has_no_standard_error(self, frame):
        lines = markdown("S1", frame.query("seed == 0")).splitlines()
        assert lines[2] == "| sparse | 3 | 6 | {1,2} | 2 | 0.01 | 1 |"

    def test_what_the_axis_says_is_said_once(self, frame):
        domains = frame.assign(at=frame["num_domains"].astype(str), experiment="S5")
        assert markdown("S5", domains.query("intervened == '{1,2}'")).splitlines()[2] == (
            "| sparse | 6 | 3 | 2 | 0.015 ± 0.005 | 1.5 ± 0.5 |"
        )

    def test_a_line_a_data_set(self, frame):
        lines = by_seed("S1", frame).splitlines()
        assert len(lines) == 2 + 5 * 2
        assert lines[3] == "| sparse | 3 | 6 | {1,2} | 1 | **0.02** | 2 | 0.1 |"

    def test_figures_have_a_panel_and_their_methods(self, frame):
        (ax,) = error_figure("S1", frame).axes
        assert ax.get_yscale() == "log"
        assert ax.get_legend_handles_labels()[1] == ["ILD-Can", "Gaussian OT"]
        (ax,) = likelihood_figure("S1", frame).axes
        assert ax.get_legend_handles_labels()[1] == ["ILD-Can"]


def test_where_there_is_only_a_bound_the_figure_says_so():
    cells = cells_of("S8K", "sparse")
    rows = [
        cell.columns() | {"method": "can", "seed": 0, "error": 1.0, "log_likelihood": -9.0 - cell.k}
        for cell in cells
    ]
    (ax,) = likelihood_figure("S8K", pd.DataFrame(rows)).axes
    assert ax.get_ylabel() == "negative ELBO, nats per row"
    assert ax.get_lines()[0].get_ydata().tolist() == [10.0, 11.0, 12.0, 13.0]


@pytest.mark.fast
def test_without_kinks_the_engine_has_none():
    assert methods._engine(True, 0, 0) == Profile("leaky")
    assert methods._engine(False, 0, 0) == Profile("linear")
    assert methods._engine(False, 4, 0).slope == 1
    assert {cell.setting.mixing for cell in cells_of("S11", "sparse")} == {"linear"}
    assert {cell.setting.mixing for cell in cells_of("S11F", "sparse")} == {"smooth"}
    assert [cell.k for cell in cells_of("S11", "sparse", domains=3)] == [1, 2, 3, 4, 5, 6]
