"""The whole path in a real browser: drop, fit, look, ask, download; cancel, reload, two tabs."""

import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from elsewhere.app.asked import Asked

NASTY = "<script>window.ran = 1</script>"
FAILS = {"fit": ["report", "m", "d", "--out", "about.json"]}  # before anything heavy is loaded
PATIENCE = 120_000  # milliseconds; a busy machine needs them, a quiet one a tenth


def open_table(page, frame, folder, name="data.csv"):
    path = folder / name
    frame.to_csv(path, index=False)
    page.set_input_files("#file", path)
    page.click("text=Open")
    page.wait_for_selector("#fit", timeout=15_000)


def wait_until_done(page):
    page.wait_for_selector("#ask-row", timeout=PATIENCE)


@pytest.fixture(scope="module")
def fitted(browser, served, stranger, tmp_path_factory):
    """The address of a fit of a stranger's table, and all that its tab asked for."""
    context = browser.new_context()
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{served}/?token=a-token-of-the-tests")
    open_table(page, stranger, tmp_path_factory.mktemp("data"))
    page.check("input[name=invariant] >> nth=1")
    page.uncheck("#tick-planted")
    page.click("#fit")
    assert page.locator("#progress progress").count() == 1
    page.reload()  # while it runs
    wait_until_done(page)
    ran = page.evaluate("window.ran")
    context.close()
    return page.url, asked, ran


def test_the_answer_comes_first_and_nothing_left_the_machine(page, fitted, served):
    url, asked, ran = fitted
    page.goto(url)
    text = page.inner_text("main")
    assert text.index("Should I use these answers?") < text.index("How far to trust it")
    assert NASTY in text
    assert ran is None
    assert page.evaluate("window.ran") is None
    outside = [u for u in (*asked, *page.asked) if not u.startswith((served, "data:", "blob:"))]
    assert outside == []
    assert "Does what must not change stay?" in text


def test_one_row_downloads_and_the_same_in_words(page, fitted, stranger):
    page.goto(fitted[0])
    page.fill("#row", "3")
    page.select_option("#to", "b")
    page.click("#ask-row button")
    page.wait_for_selector("#row-answer table", timeout=PATIENCE)
    shown = page.inner_text("#row-answer")
    assert "Row 3, seen in a<script>" in shown
    assert f"{stranger.iloc[2]['mass [mg]']:.4g}" in shown
    assert "90 % interval" in shown
    page.select_option("#all-to", "b")
    with page.expect_download() as download:
        page.click("text=Download answers")
    answers = pd.read_csv(download.value.path())
    assert len(answers) == len(stranger)
    assert set(answers["site"]) == {"b"}
    assert "mass [mg]_low" in answers
    for words in ("Model", "Report", "Data"):
        with page.expect_download() as download:
            page.click(f"a.button:text-is('{words}')")
        assert download.value.failure() is None
    code = page.locator("pre").all_inner_texts()
    assert any("elsewhere fit data.csv --domain site" in text for text in code)
    assert any("DomainCounterfactual(" in text and "import pandas" in text for text in code)


def no_finding(axe, page, served, path):
    """No serious finding of axe-core, and nothing wider than a phone."""
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(path if path.startswith("http") else served + path)
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_finds_its_way(browser, served, fitted, axe, scheme):
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"{served}/?token=a-token-of-the-tests")
    table = page.get_attribute("a[href^='/tables/']", "href")
    fit = fitted[0].removeprefix(served)
    others = (table, f"{fit}/row?row=1&to=b", "/tables/0123456789ab")
    for path in ("/", fit, *(others if scheme == "light" else ())):
        no_finding(axe, page, served, path)
    context.close()


def save_images(folder):
    for d, name in enumerate((f"a{NASTY.replace('/', '')}", "b")):
        (folder / name).mkdir(parents=True)
        for i in range(4):
            Image.fromarray(np.full((8, 8), 60 * d + 20 * i, np.uint8)).save(
                folder / name / f"{i}.png"
            )
    return folder


def test_a_folder_of_images_is_chosen_fitted_and_cancelled(page, served, tmp_path):
    page.set_input_files("#folder", save_images(tmp_path / "lamps"))
    page.click("#open-images")
    page.wait_for_selector("#fit")
    assert "8 images from 2 domains, 8 × 8 pixels." in page.inner_text("main")
    assert page.locator(".strip img").count() == 8
    page.click("#fit")
    page.wait_for_selector("#progress")
    page.wait_for_function("!document.getElementById('said').textContent.startsWith('0 %')")
    page.click("#cancel")
    page.wait_for_selector("text=Cancelled.", timeout=10_000)
    page.click("text=Back to the data")
    page.wait_for_selector("#fit")
    assert page.evaluate("window.ran") is None
    assert [u for u in page.asked if not u.startswith((served, "data:"))] == []


def test_a_screen_reader_finds_its_way_among_images(page, axe, tmp_path):
    page.set_viewport_size({"width": 390, "height": 800})
    page.set_input_files("#folder", save_images(tmp_path / "lamps"))
    page.click("#open-images")
    page.wait_for_selector("#fit")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_rows_dropped_on_the_fit_s_page_are_moved(page, fitted, stranger, tmp_path):
    page.goto(fitted[0])
    path = tmp_path / "more.csv"
    stranger[:5].to_csv(path, index=False)
    page.select_option("#drop-to", "b")
    page.set_input_files("#drop-file", path)
    page.wait_for_selector("#drop-link")
    assert "5 rows of more.csv moved to b" in page.inner_text("#drop-said")


def test_a_bad_row_is_said_on_the_page(page, fitted):
    page.goto(fitted[0])
    page.fill("#row", "9999")
    page.evaluate("document.getElementById('row').form.noValidate = true")
    page.click("#ask-row button")
    page.wait_for_selector("#row-answer .problem", timeout=PATIENCE)
    assert "from 1 to 80" in page.inner_text("#row-answer")


def test_cancel_ends_it_and_two_tabs_see_the_same(page, stranger, tmp_path):
    open_table(page, stranger, tmp_path, "slow.csv")
    page.click("#fit")
    page.wait_for_selector("#progress")
    other = page.context.new_page()
    other.goto(page.url)
    assert other.locator("#cancel").count() == 1
    page.click("#cancel")
    page.wait_for_selector(".problem")
    assert "Cancelled." in page.inner_text("main")
    other.wait_for_selector("text=Cancelled.", timeout=10_000)


def test_a_crash_of_a_fit_is_said_and_the_app_lives(page, stranger, tmp_path, monkeypatch):
    monkeypatch.setattr(Asked, "commands", lambda self, data: FAILS)
    open_table(page, stranger, tmp_path, "bad.csv")
    page.click("#fit")
    page.wait_for_selector(".problem", timeout=PATIENCE)
    said = page.inner_text("main")
    assert "The fit failed. about.json already exists." in said
    page.click("a.home")
    assert re.search(r"bad.csv\s+site\s+failed", page.inner_text("main"))
    assert page.evaluate("window.ran") is None
