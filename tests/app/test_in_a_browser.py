"""The whole path in a real browser: drop, fit, look, ask, download; cancel, reload, two tabs."""

import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from browsing import jargon_in
from elsewhere.app.fit_request import FitRequest

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
    page.select_option("[aria-label='what to do with mass [mg]']", "stay")
    page.uncheck("#tick-planted")
    page.click("#fit")
    page.wait_for_selector("#progress progress")
    page.reload()  # while it runs
    page.wait_for_selector("#said:has-text(' left ')", timeout=PATIENCE)
    wait_until_done(page)
    ran = page.evaluate("window.ran")
    context.close()
    return page.url, asked, ran


def test_the_answer_comes_first_and_nothing_left_the_machine(page, fitted, served):
    url, asked, ran = fitted
    page.goto(url)
    text = page.inner_text("main")
    assert text.index("Should I use these answers?") < text.index("How far to trust it")
    assert jargon_in(text[: text.index("Look for yourself")]) == []
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
    assert page.locator("pre.copy").count() == 2


def test_the_command_and_the_python_that_it_shows_give_the_same(page, fitted, stranger, tmp_path):
    """Both are copied by their buttons and run; answers are those that the app lets download."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(fitted[0])
    shown = [copied(page, i) for i in range(2)]
    with page.expect_download() as download:
        page.click("text=Download answers")
    ours = pd.read_csv(download.value.path())
    stranger.to_csv(tmp_path / "data.csv", index=False)
    for line in shown[0].splitlines():
        if not line.startswith("elsewhere report"):
            elsewhere(*shlex.split(line)[1:], cwd=tmp_path)
    assert (tmp_path / "answers.csv").read_bytes() == Path(download.value.path()).read_bytes()
    made = {}
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        exec(shown[1], made)
    finally:
        os.chdir(before)
    columns = made["columns"]
    np.testing.assert_allclose(made["moved"], ours[columns], rtol=1e-6)


def copied(page, i):
    button = page.locator("button.copy-it").nth(i)
    button.click()
    button.and_(page.get_by_text("Copied")).wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == page.locator("pre.copy").nth(i).text_content()
    return text


def elsewhere(*words, cwd):
    run = [sys.executable, "-m", "elsewhere", *words]
    done = subprocess.run(run, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_two_fits_side_by_side(page, fitted, stranger, tmp_path):
    open_table(page, stranger, tmp_path, "other.csv")
    page.select_option("[aria-label='what to do with mass [mg]']", "leave")
    page.uncheck("#tick-planted")
    page.click("#fit")
    wait_until_done(page)
    assert "--columns 'dose <script>" in page.locator("pre.copy").first.inner_text()
    page.click("a.home")
    for tick in page.locator("tr", has_text=re.compile("done")).locator("input").all():
        tick.check()
    page.click("text=Compare the ticked fits")
    said = page.inner_text("main")
    assert "other.csv by site" in said
    assert "data.csv by site" in said
    assert re.search(r"Columns moved\s+1\s+2", said)
    assert "How far off may answers be?" in said
    assert page.evaluate("window.ran") is None


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


def save_images(folder, count=4):
    rng = np.random.default_rng(0)
    for d, name in enumerate((f"a{NASTY.replace('/', '')}", "b")):
        (folder / name).mkdir(parents=True)
        for i in range(count):
            pixels = 80 * d + 10 * i + rng.integers(0, 40, (8, 8))
            Image.fromarray(pixels.astype(np.uint8)).save(folder / name / f"{i}.png")
    return folder


def test_a_folder_of_images_from_the_page_to_the_answers(page, served, axe, tmp_path):
    """The whole path, with few steps of training: blurred answers, and none leaves the machine."""
    page.set_input_files("#folder", save_images(tmp_path / "lamps", 12))
    page.click("#open-images")
    page.wait_for_selector("#fit")
    page.fill("#steps", "40")
    page.click("#fit")
    page.wait_for_selector("text=Should I use these answers?", timeout=5 * PATIENCE)
    said = page.inner_text("main")
    assert "elsewhere fit lamps --out model.elsewhere --size 8 --steps 40" in said
    assert jargon_in(page.inner_text(".banner")) == []
    assert page.locator("figure img").first.evaluate("image => image.naturalWidth") > 100
    page.select_option("#all-to", "b")
    with page.expect_download(timeout=PATIENCE) as download:
        page.click("text=Download answers")
    with zipfile.ZipFile(download.value.path()) as archive:
        assert len([name for name in archive.namelist() if name.endswith(".png")]) == 24
    for words in ("Model", "Report"):
        with page.expect_download() as download:
            page.click(f"a.button:text-is('{words}')")
        assert download.value.failure() is None
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe(page) == []
    assert page.evaluate("window.ran") is None
    assert [u for u in page.asked if not u.startswith((served, "data:", "blob:"))] == []


def test_a_folder_of_images_is_chosen_fitted_and_cancelled(page, served, tmp_path):
    page.set_input_files("#folder", save_images(tmp_path / "lamps"))
    page.click("#open-images")
    page.wait_for_selector("#fit")
    assert "8 images from 2 domains, 8 × 8 pixels." in page.inner_text("main")
    assert page.locator(".strip img").count() == 8
    page.click("#fit")
    page.wait_for_selector("#progress")
    page.wait_for_selector("#said:has-text('learning how the domains differ')")
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


def test_a_bad_file_is_said_on_the_page_and_the_app_lives(page, tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text("x,x\n1,2\n")
    page.set_input_files("#file", path)
    page.click("text=Open")
    page.wait_for_selector(".problem")
    assert "duplicate column name" in page.inner_text(".problem")
    assert page.is_visible("#drop-table")


def test_without_the_token_a_browser_is_refused(browser, served):
    for query in ("", "?token=wrong"):
        context = browser.new_context()
        tab = context.new_page()
        assert tab.goto(f"{served}/{query}").status == 403
        assert tab.locator("form").count() == 0
        context.close()


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
    monkeypatch.setattr(FitRequest, "commands", lambda self, data: FAILS)
    open_table(page, stranger, tmp_path, "bad.csv")
    page.click("#fit")
    page.wait_for_selector(".problem", timeout=PATIENCE)
    said = page.inner_text("main")
    assert "The fit failed. about.json already exists." in said
    page.click("a.home")
    assert re.search(r"bad.csv\s+site\s+failed", page.inner_text("main"))
    assert page.evaluate("window.ran") is None
