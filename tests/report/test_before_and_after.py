"""Boxes by domain, before and after."""

import numpy as np
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.report.before_and_after import COLUMNS, before_and_after, boxes_figure
from elsewhere.report.style import INK
from elsewhere.trust.case import make_case


def test_two_boxes_for_every_domain_and_column():
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=(30, 5)) + shift for shift in (0, 3)]
    moved = [tables[0] + 3, tables[1]]
    figure = boxes_figure(tables, moved, list("abcde"), ["x", "y"])
    assert [ax.get_title() for ax in figure.axes] == list("abcde")
    medians = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_color() == INK]
    expected = [np.median(table[:, 0]) for table in (*tables, *moved)]
    assert set(np.round(expected, 9)) <= set(np.round(medians, 9))


def test_wide_tables_show_their_first_columns():
    rng = np.random.default_rng(0)
    X, site = rng.normal(size=(60, COLUMNS + 6)), np.repeat(["a<b", "c"], 30)
    model = DomainCounterfactual(mixing="moments", links="identity").fit(X, site)
    (block,) = before_and_after(make_case(model, X, site, 0))
    assert "(6 more)" in block
    assert "a<b" not in block


@pytest.mark.parametrize("rows", [1, 2])
def test_a_domain_of_few_rows_has_a_box(rows):
    tables = [np.zeros((rows, 1)), np.ones((9, 1))]
    assert boxes_figure(tables, tables, ["a"], ["x", "y"]).axes
