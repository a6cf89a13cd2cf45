"""The page in a real browser: tables sort, pictures grow, nothing is run, all can read it."""

import numpy as np
import pytest
from tests.report.dropped_tables import NASTY, by_moments

from elsewhere.report import write_report
from elsewhere.trust import trust_report


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    estimator, X, labels, _ = by_moments()
    path = tmp_path_factory.mktemp("page") / "report.html"
    trust = trust_report(estimator, X, labels, planted=False)
    write_report(estimator, X, labels, path, trust=trust)
    return path, estimator, X, labels


def opened_in(context, path):
    page = context.new_page()
    page.goto(path.as_uri())
    return page


@pytest.fixture
def page(context, written):
    return opened_in(context, written[0])


def test_tables_sort_and_columns_can_be_chosen(page):
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    table = page.locator("table", has=page.locator("th", has_text="median before")).first
    table.locator("th button", has_text="mean move").click()
    values = [float(text) for text in table.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert values == sorted(values)
    page.select_option("#look-column", label="count")
    page.select_option("#look-from", label="b")
    assert page.locator("#look-to").input_value() != page.locator("#look-from").input_value()
    said = page.inner_text("#look-said")
    assert said.startswith("Median in b: ")
    page.hover("#look-chart svg", position={"x": 200, "y": 50})
    assert page.inner_text("#look-said") != said
    assert "%" in page.inner_text("#look-said")


def test_long_names_and_narrow_screens_need_no_scrolling_sideways(browser, written):
    tab = browser.new_page(viewport={"width": 390, "height": 800})
    tab.goto(written[0].as_uri())
    tab.evaluate(
        "document.querySelector('#look-column').append("
        "new Option('C-reactive protein, serum (mg/L), high-sensitivity assay, fasting, repeated'))"
    )
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    ticks = [float(text) for text in tab.locator("#look-chart .tick").all_text_contents()]
    steps = np.diff(ticks)
    assert 3 <= len(ticks) <= 10
    np.testing.assert_allclose(steps, steps[0])
    tab.close()


def test_nothing_runs_and_nothing_is_fetched(context, written):
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(written[0].as_uri())
    assert page.evaluate("window.ran") is None
    assert [url for url in asked if not url.startswith("data:")] == [written[0].as_uri()]
    assert NASTY in page.inner_text("main")


def test_a_picture_is_enlarged_and_put_back_by_keyboard(browser, written, axe):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(written[0].as_uri())
    button = page.locator("button.enlarge").first
    small = button.locator("img").bounding_box()["width"]
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog img").bounding_box()["width"] > 1.5 * small
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")  # browsers say "close" a moment later
    assert button.evaluate("one => one === document.activeElement")
    button.click()
    page.click("dialog button")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_it_reads_without_scripts(browser, written):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(written[0].as_uri())
    text = page.inner_text("main")
    assert "Should I use these answers?" in text
    assert "One row, before and after" in text
    assert not page.is_visible("#drop")
    assert page.is_visible("figure > img")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_finds_its_way(browser, written, axe, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(written[0].as_uri())
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()
