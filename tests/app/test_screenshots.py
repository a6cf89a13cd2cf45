"""Every page of the app and the report, at the width of a desk and of a phone: checked, then taken.

Pictures go where ELSEWHERE_SCREENSHOTS says; `python docs/make_screenshots.py` has them in the
documentation. Nothing may be wider than the screen, nothing may be asked for outside the app, and
no word may need a statistician on the first screen.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from browsing import jargon_in, tab_with_token

PATIENCE = 600_000  # milliseconds
DESK, PHONE = 1280, 390


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = Path(os.environ.get("ELSEWHERE_SCREENSHOTS") or tmp_path_factory.mktemp("shots"))
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def tab(browser, served):
    """One tab for the whole walk."""
    with tab_with_token(browser, served) as page:
        yield page


def take(page, out, name, height, at=None):
    """Check the page and take its top, or what stands from `at` on, at each width."""
    for label, width in {"desk": DESK, "phone": PHONE}.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("window.scrollTo(0, 0)")
        if at:
            page.evaluate(f"document.querySelector('{at}').scrollIntoView()")
            page.evaluate("window.scrollBy(0, -70)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.screenshot(path=out / f"{name}-{label}.png")
    page.set_viewport_size({"width": DESK, "height": 900})
    assert page.evaluate("window.ran") is None


def first_screen(page):
    text = page.inner_text("main")
    return text.partition("Look for yourself")[0].partition("How far to trust it")[0]


@pytest.fixture(scope="module")
def fitted(tab, served, out):
    """The bundled example, from the first page to its answer; the address of the fit."""
    take(tab, out, "app-home", 600)
    tab.click("text=Try the example")
    tab.wait_for_selector("#fit")
    take(tab, out, "app-table", 860)
    tab.click("#fit")
    tab.wait_for_selector("#said:has-text(' left '), #ask-row", timeout=PATIENCE)
    if tab.locator("#progress").count():
        take(tab, out, "app-progress", 320)
    tab.wait_for_selector("#ask-row", timeout=PATIENCE)
    return tab.url


def test_the_answer_and_one_row(tab, fitted, served, out):
    assert jargon_in(first_screen(tab)) == []
    take(tab, out, "app-answer", 1100)
    tab.fill("#row", "7")
    tab.click("#ask-row button")
    tab.wait_for_selector("#row-answer table", timeout=PATIENCE)
    take(tab, out, "app-row", 900, at="#ask-row")
    assert [u for u in tab.asked if not u.startswith((served, "data:", "blob:"))] == []


def test_two_fits_side_by_side(tab, fitted, served, out):
    tab.goto(fitted)
    table = tab.request.get(served).text().split('href="/tables/')[1][:12]
    tab.goto(f"{served}/tables/{table}")
    tab.select_option("[aria-label='what to do with mean radius']", "leave")
    tab.click("#fit")
    tab.wait_for_selector("#ask-row", timeout=PATIENCE)
    tab.goto(served)
    for tick in tab.locator("input[name=fit]").all():
        tick.check()
    take(tab, out, "app-fits", 800)
    tab.click("text=Compare the ticked fits")
    assert "Columns moved" in tab.inner_text("main")
    take(tab, out, "app-compare", 900)


@pytest.mark.parametrize("look", ["light", "dark", "print"])
def test_the_report(browser, tab, fitted, out, tmp_path, look):
    path = tmp_path / "report.html"
    path.write_bytes(tab.request.get(f"{fitted}/report").body())
    scheme = "dark" if look == "dark" else "light"
    page = browser.new_page(color_scheme=scheme)
    page.goto(path.as_uri())
    if look == "print":
        page.emulate_media(media="print")
        assert not page.is_visible("#drop")
    assert jargon_in(first_screen(page)) == []
    take(page, out, f"report-{look}", 1100)
    page.close()


def test_rows_dropped_on_the_report(browser, tab, fitted, out, tmp_path):
    report, data = tmp_path / "report.html", tmp_path / "biopsies.csv"
    report.write_bytes(tab.request.get(f"{fitted}/report").body())
    data.write_bytes(tab.request.get(f"{fitted}/data").body())
    page = browser.new_page()
    page.goto(report.as_uri())
    page.select_option("#drop-to", "A")
    page.set_input_files("#drop-file", data)
    page.wait_for_selector("#drop-link")
    assert "569 rows of biopsies.csv moved to A" in page.inner_text("#drop-said")
    take(page, out, "report-dropped", 720, at="section:has(> #drop)")
    page.close()


def digits(folder):
    """120 digits read by two scanners, of which the second has its black too light."""
    for i, image in enumerate(load_digits().images[:120]):
        light = 90 * (i % 2)
        path = folder / f"scanner-{'ab'[i % 2]}" / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((light + image * (255 - light) / 16).astype(np.uint8)).save(path)
    return folder


def test_images(tab, served, out, tmp_path):
    tab.goto(served)
    tab.set_input_files("#folder", digits(tmp_path / "digits"))
    tab.click("#open-images")
    tab.wait_for_selector("#fit")
    take(tab, out, "app-images", 960)
    tab.fill("#steps", "300")
    tab.click("#fit")
    tab.wait_for_selector("text=Should I use these answers?", timeout=PATIENCE)
    assert jargon_in(first_screen(tab)) == []
    take(tab, out, "app-images-answer", 1100)
