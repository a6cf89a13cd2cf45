"""Make the screenshots of the app: python docs/make_screenshots.py [folder].

Needs the extra `app`, Playwright and Chromium. The app is started, digits are opened as a folder of
images, the example is fitted, and every page is taken at the width of a desk and of a phone.
"""

import shutil
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_digits

from elsewhere.app.server import make_app

TOKEN, PATIENCE = "screenshots", 300_000
WIDTHS = {"desk": 1280, "phone": 390}
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


def main(out):
    """Start the app, walk through it, and end it."""
    out.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(make_app(Path(folder), TOKEN), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.05)
        try:
            with sync_playwright() as driver:
                path = shutil.which("chromium")
                browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
                walk(browser, f"http://127.0.0.1:{listener.getsockname()[1]}", out)
                browser.close()
        finally:
            server.should_exit = True
            thread.join()


def walk(browser, address, out):
    """From the first page to one row, a picture of each."""
    page = browser.new_page()
    page.goto(f"{address}/?token={TOKEN}")
    take(page, out, "app-home", 600)
    with tempfile.TemporaryDirectory() as folder:
        page.set_input_files("#folder", digits(Path(folder) / "digits"))
        page.click("#open-images")
        page.wait_for_selector("#fit")
    take(page, out, "app-images", 960)
    page.goto(address)
    start = time.time()
    page.click("text=Try the example")
    page.wait_for_selector("#fit")
    take(page, out, "app-table", 860)
    page.click("#fit")
    while page.locator("#bar").count() and page.inner_text("#said").startswith("3 %"):
        page.wait_for_timeout(100)
    take(page, out, "app-progress", 320)
    page.wait_for_selector("#ask-row", timeout=PATIENCE)
    print(f"first answer {time.time() - start:.1f} s after the page opened")
    take(page, out, "app-answer", 1100)
    page.fill("#row", "7")
    page.click("#ask-row button")
    page.wait_for_selector("#row-answer table", timeout=PATIENCE)
    page.locator("#ask-row").scroll_into_view_if_needed()
    take(page, out, "app-row", 900, at="#ask-row")


def digits(folder):
    """120 digits read by two scanners, of which the second has its black too light."""
    for i, image in enumerate(load_digits().images[:120]):
        light = 90 * (i % 2)
        path = folder / f"scanner-{'ab'[i % 2]}" / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((light + image * (255 - light) / 16).astype(np.uint8)).save(path)
    return folder


def take(page, out, name, height, at=None):
    """The top of the page, or what stands from `at` on, at each width."""
    for label, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("window.scrollTo(0, 0)")
        if at:
            page.evaluate(f"document.querySelector('{at}').scrollIntoView()")
            page.evaluate("window.scrollBy(0, -70)")
        page.screenshot(path=out / f"{name}-{label}.png")
    page.set_viewport_size({"width": WIDTHS["desk"], "height": 900})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "screenshots")
