"""The figures show what they claim: labels, colours, and points that do not move."""

import subprocess
import sys

import jax
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb
from tests.models import random_ild

from elsewhere import report
from elsewhere.datasets import simulated_truth
from elsewhere.report.style import BLUE, GREY, ORANGE
from elsewhere.theory import canonical_form, identity_canonical_form

KEY = jax.random.key(0)


def offsets(ax):
    """The points of every scatter in the panel."""
    return np.stack([np.asarray(cloud.get_offsets()) for cloud in ax.collections])


@pytest.fixture(scope="module")
def steps():
    truth = simulated_truth(KEY, 4, 2, {1}, bias="sparse")
    figure = report.canonical_steps_figure(canonical_form(truth), KEY, num_points=20)
    return np.array(figure.axes).reshape(4, 3)


class TestCanonicalSteps:
    def test_rows_name_their_step_and_intervention_set(self, steps):
        titles = [ax.get_title(loc="left") for ax in steps[:, 0]]
        assert titles[0] == "Given, I = {1}"
        assert titles[1].startswith("Step 1")
        assert titles[1].endswith("I = {1}")
        assert titles[2] == "Step 2: swap 1 and 3, I = {3}"
        assert titles[3].startswith("Step 3")
        assert titles[3].endswith("I = {3}")

    def test_columns_name_their_coordinates(self, steps):
        labels = [(ax.get_xlabel(), ax.get_ylabel()) for ax in steps[0]]
        assert labels == [("$z_{0}$", "$z_{1}$"), ("$z_{2}$", "$z_{3}$"), ("$x_{0}$", "$x_{1}$")]

    def test_the_observed_column_is_the_same_in_every_row(self, steps):
        given, *others = (offsets(ax) for ax in steps[:, -1])
        assert given.shape == (2, 20, 2)
        for later in others:
            np.testing.assert_allclose(later, given, atol=1e-9)

    def test_the_latents_change(self, steps):
        assert np.abs(offsets(steps[0, 0]) - offsets(steps[2, 0])).max() > 0.1

    def test_only_the_last_latent_moves_once_canonical(self, steps):
        still, moving = (offsets(ax) for ax in steps[2, :2])
        np.testing.assert_allclose(still[0], still[1], atol=1e-9)
        np.testing.assert_allclose(moving[0, :, 0], moving[1, :, 0], atol=1e-9)
        assert np.abs(moving[0, :, 1] - moving[1, :, 1]).min() > 0.1

    def test_arrows_are_drawn_only_where_something_moves(self, steps):
        assert [len(ax.texts) for ax in steps[2]] == [0, 6, 6]

    def test_an_odd_dimension_and_three_domains(self):
        ild = random_ild(1, "linear", "linear", 3, 3, np.array([True, False, False]), 0.3)
        form = identity_canonical_form(ild)
        axes = report.canonical_steps_figure(form, KEY, num_points=5).axes
        assert len(axes) == 3 * 3
        assert axes[1].get_xlabel() == "$z_{1}$"
        assert offsets(axes[0]).shape == (3, 5, 2)

    def test_one_dimension(self):
        ild = random_ild(1, "linear", "linear", 1, 2, np.array([True]), 0.3)
        axes = report.canonical_steps_figure(canonical_form(ild), KEY, num_points=5).axes
        assert len(axes) == 3 * 2


def cells(ax, colour):
    """How many entries of the matrix drawn in the panel have the colour."""
    return int(np.isclose(ax.images[0].get_array(), to_rgb(colour)).all(-1).sum())


class TestSharing:
    @pytest.fixture(scope="class")
    def panels(self):
        return np.array(report.sharing_figure(m=6, k=2).axes).reshape(3, 3)

    @pytest.mark.parametrize(
        ("row", "orange", "blue"),
        [
            (0, (15, 6, 6), (0, 0, 0)),  # Dense
            (1, (9, 2, 2), (6, 4, 4)),  # Can: the last two rows are each domain's own
            (2, (9, 2, 2), (0, 0, 0)),  # Identity-Can: the others are fixed
        ],
    )
    def test_colours(self, panels, row, orange, blue):
        assert tuple(cells(ax, ORANGE) for ax in panels[row]) == orange
        assert tuple(cells(ax, BLUE) for ax in panels[row]) == blue
        sizes = (36, 36, 6)
        grey = tuple(n - o - b for n, o, b in zip(sizes, orange, blue, strict=True))
        assert tuple(cells(ax, GREY) for ax in panels[row]) == grey

    def test_fixed_ones_are_written(self, panels):
        written = [[t.get_text() for t in ax.texts] for ax in panels[2]]
        assert written == [[], ["1"] * 4, []]
        assert all(not ax.texts for ax in panels[:2].flat)

    def test_names_and_legend(self, panels):
        assert [ax.get_title() for ax in panels[0]] == ["$L_d$", "$S_d$", "$b_d$"]
        assert [ax.get_ylabel() for ax in panels[:, 0]] == ["Dense", "Can", "Identity-Can"]
        legend = panels[0, 0].figure.legends[0]
        assert [t.get_text() for t in legend.texts] == ["domain-specific", "shared", "zero"]

    def test_k_out_of_range(self):
        with pytest.raises(ValueError, match=r"k must be in 0\.\.3"):
            report.sharing_figure(m=3, k=4)


def test_the_bound_grows_with_k_and_lies_above_the_error():
    mask = np.array([False, False, True])
    truth, estimate = (random_ild(s, "linear", "linear", 3, 2, mask, 0.4) for s in (1, 2))
    figure = report.bound_growth_figure(truth, KEY, estimate=estimate, num_members=2)
    direct, lipschitz = figure.axes
    error, bound, fit = (np.asarray(line.get_ydata()) for line in direct.lines[:3])
    proven, printed = (np.asarray(line.get_ydata()) for line in lipschitz.lines[:2])
    assert list(direct.lines[0].get_xdata()) == [1, 2, 3]
    assert (error <= bound + 1e-9).all()
    assert (fit <= bound).all()
    assert (np.diff(proven) >= 0).all()
    np.testing.assert_allclose(proven, np.sqrt(2) * printed)
    assert "k^* = 1" in direct.get_xlabel()


def test_the_intervention_story():
    models = (simulated_truth(KEY, 6, 3, {0, 1}, bias=bias) for bias in ("printed", "sparse"))
    printed, sparse = report.intervention_story_figure(*models).axes
    assert printed.get_title().endswith("I = {0, 1, 2, 3, 4, 5}")
    assert sparse.get_title().endswith("I = {0, 1}")
    bars = [bar for bar in sparse.patches if bar.get_width() < 1]
    assert [bar.get_height() > 0 for bar in bars] == [True, True] + [False] * 4
    assert [to_hex(bar.get_facecolor()) for bar in bars] == [ORANGE] * 2 + [BLUE] * 4


def test_a_figure_is_saved_with_the_same_bytes_twice(tmp_path):
    paths = [
        report.save(report.sharing_figure(3, 1), tmp_path / "new" / n) for n in ("a.png", "b.png")
    ]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert report.save(report.sharing_figure(3, 1), tmp_path / "c.svg").exists()


def test_matplotlib_waits_for_the_first_picture_and_pyplot_is_never_loaded():
    code = (
        "import sys, elsewhere.report as r; first = 'matplotlib' in sys.modules; "
        "r.sharing_figure(2, 1); print(first, 'matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]
    with pytest.raises(AttributeError, match="nothing"):
        _ = report.nothing
