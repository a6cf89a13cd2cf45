import json

import pandas as pd
import pytest

from elsewhere.experiments.cells import EXPERIMENTS, Cell, cells_of
from elsewhere.experiments.reproduce import list_experiments
from elsewhere.experiments.summary import experiment_figure, markdown, summarise
from elsewhere.experiments.sweep import provenance, sweep

CELL = Cell("S1", "{3}", 3, 2, (2,), 1, "sparse")


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep")
    return out, sweep([CELL], [0], out, rows=2_000)


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
    (path,) = (out / "done").iterdir()
    marked = json.loads(path.read_text())
    marked[0]["error"] = -1.0
    path.write_text(json.dumps(marked))
    again = sweep([CELL], [0], out, rows=2_000)
    assert again["error"][0] == -1.0
    assert len(again) == len(frame)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@pytest.mark.parametrize("bias", ["sparse", "printed"])
def test_cells_are_the_papers(experiment, bias):
    cells = cells_of(experiment, bias)
    assert len({cell.name for cell in cells}) == len(cells)
    assert all(cell.bias == bias and max(cell.intervened) < cell.m for cell in cells)
    assert 0 < len(cells_of(experiment, bias, quick=True)) < len(cells)
    if experiment in ("S3", "S4", "S5"):
        assert all(cell.k == len(cell.intervened) for cell in cells)


def test_an_unknown_experiment_names_the_known_ones():
    with pytest.raises(ValueError, match="S1, S2, S3, S4, S5, S6; got 'S77'"):
        cells_of("S77", "sparse")
    assert list_experiments().row_count == len(EXPERIMENTS)


class TestSummary:
    @pytest.fixture
    def frame(self):
        cells = cells_of("S1", "sparse", quick=True)
        rows = [
            cell.columns() | {"method": method, "seed": seed, "error": value * (seed + 1)}
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
        assert lines[2] == "| sparse | 3 | 6 | {1,2} | 0.015 ± 0.005 | 1.5 ± 0.5 |"

    def test_figure_has_a_panel_and_every_method(self, frame):
        figure = experiment_figure("S1", frame)
        (ax,) = figure.axes
        assert ax.get_yscale() == "log"
        assert ax.get_legend_handles_labels()[1] == ["can", "gaussian_ot"]


def test_provenance_names_command_versions_and_machine():
    made_by = provenance("elsewhere reproduce S1")
    assert made_by["command"] == "elsewhere reproduce S1"
    assert made_by["versions"]["elsewhere"]
    assert made_by["cores"] >= 1
