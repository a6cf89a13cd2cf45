"""The pictures of an image experiment: what stands where."""

import pandas as pd
import pytest

from elsewhere.experiments.images.curves import curves_figure
from elsewhere.experiments.images.graphs import DOMAIN, GRAPHS, IMAGE, graph_figure
from elsewhere.experiments.images.settings import IMAGE_EXPERIMENTS


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_colours_all_that_follows_the_domain(name):
    graph = GRAPHS[name]
    after, more = set(), {DOMAIN}
    while more:
        more = {end for start, end in graph.arrows if start in more} - after
        after |= more
    assert graph.follows == after - {IMAGE}
    assert graph.kept not in after
    assert {node for arrow in graph.arrows for node in arrow} == set(graph.places)
    (ax,) = graph_figure(name).axes
    texts = {text.get_text() for text in ax.texts}
    assert set(graph.places) <= texts
    assert any("all but the domain" in text for text in texts) == (IMAGE not in graph.places)


def test_every_experiment_has_a_graph():
    assert set(GRAPHS) == {"I1", "I2", "I3", "I4", "I5"} == set(IMAGE_EXPERIMENTS)


def curve_rows(*methods):
    return pd.DataFrame(
        {
            "method": method,
            "k": k,
            "seed": seed,
            "composition": 0.9,
            "reversibility": 0.8,
            "effectiveness": 0.1 * k + 0.1 * seed,
            "preservation": 0.5,
            "domain_accuracy_reconstructed": 0.75,
        }
        for method, k in methods
        for seed in (0, 1)
    )


def test_curves_have_one_line_per_metric_and_one_point_per_k():
    (ax,) = curves_figure("I1", curve_rows(("can", 5), ("can", 1), ("dense", 20))).axes
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "5"]
    assert sorted(ax.get_legend_handles_labels()[1]) == [
        "Composition",
        "Effectiveness",
        "Preservation",
        "Reversibility",
        "judge of domains",
    ]
    effectiveness = ax.containers[2].lines[0]
    assert list(effectiveness.get_ydata()) == pytest.approx([15, 55])
    assert ax.lines[-1].get_ydata()[0] == 75


def test_curves_have_a_panel_a_model_on_one_scale():
    rows = curve_rows(("likelihood", 1), ("likelihood", 2), ("can", 3), ("can", 4))
    one, other = curves_figure("I1", rows).axes
    assert [ax.get_title() for ax in (one, other)] == ["ILD-Can", "ILD-Can by likelihood alone"]
    ticks = [[t.get_text() for t in ax.get_xticklabels()] for ax in (one, other)]
    assert ticks == [["3", "4"], ["1", "2"]]
    assert one.get_ylim() == other.get_ylim() == (0, 101)
