"""Levels that have names are shown by these, wherever a report shows a value."""

import json
import re

import pytest
from tests.report.dropped_tables import LEVELS, levels_zeros_and_sums

from elsewhere.report import write_report
from elsewhere.report.one_row import row_cells, row_table
from elsewhere.trust import trust_report


@pytest.fixture(scope="module")
def made():
    return levels_zeros_and_sums()


@pytest.fixture(scope="module")
def text(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("levels") / "report.html"
    trust = trust_report(made.estimator, made.X, made.labels, invariants=["grade"], planted=False)
    return write_report(made.estimator, made.X, made.labels, path, trust=trust).read_text()


def test_one_row_names_its_levels(made):
    row = made.X[made.X["grade"] == LEVELS[0]][:1]
    cells = row_cells(made.estimator, row, source=made.labels[row.index[0]], target="new")
    shown = {line[0]: line[1:] for line in row_table(cells, "old", "new")}
    assert shown["grade"][0] == LEVELS[0]
    assert shown["grade"][1] in LEVELS
    assert set(shown["grade"][2].split(" to ")) <= {*LEVELS}
    assert shown["stage"][0] == f"{row['stage'].item():g}"


def test_a_row_without_its_level_has_a_dash(made):
    row = made.X[made.X["grade"].isna()][:1]
    cells = row_cells(made.estimator, row, source=made.labels[row.index[0]], target="new")
    assert row_table(cells, "old", "new")[1][:3] == ["grade", "–", "–"]


def test_the_page_names_them(text):
    found = re.search(r'id="looks">(.*?)</script>', text)
    columns = {one["name"]: one for one in json.loads(found[1])["columns"]}
    assert columns["grade"]["levels"] == LEVELS
    assert len(columns["grade"]["edges"]) == len(LEVELS) + 1
    assert columns["stage"]["levels"] == []
    assert "middle" in re.sub("<script.*?</script>", "", text)


def test_a_reader_chooses_a_column_of_levels(browser, text, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(text)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.select_option("#look-column", label="grade")
    assert set(page.locator("#look-chart .tick").all_text_contents()) == {*LEVELS}
    assert page.inner_text("#look-said").startswith("Median in ")
    assert "middle" in page.inner_text("#look-said")
    page.hover("#look-chart svg", position={"x": 5, "y": 50})
    assert page.inner_text("#look-said").startswith(f"{LEVELS[0]}: ")
    page.close()
