"""How long does a newcomer wait? From `pip install` to the first answer in the browser.

python benchmarks/newcomer.py --out results/benchmarks/newcomer.json

Makes a virtual environment, installs this checkout with the extra `app`, starts `elsewhere app`
with empty caches, and goes through the bundled example in Chromium: open, try the example, fit, ask
for one row. Needs Playwright, Chromium, a network for pip, and two minutes. Every address that the
browser asked for is looked at, and every estimate of the time left is kept beside the truth.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from elsewhere.experiments.provenance import provenance

ROOT = Path(__file__).parent.parent
PATIENCE = 300_000  # milliseconds
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
LEFT = re.compile(r"about (\d+) (s|min) left")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    parser.add_argument("--venv", type=Path, help="where to install, or where all is installed")
    choices = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), (choices.venv or Path(folder, "venv")).resolve())
    made_by = provenance(" ".join(["python", *sys.argv]), [0])
    choices.out.write_text(json.dumps({"made_by": made_by, **found}, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def measured(folder, place):
    """Seconds of every step, and what the browser asked for; the time of pip only where it ran."""
    start, there = time.perf_counter(), (place / "bin" / "elsewhere").exists()
    installed = place / "bin" / "elsewhere" if there else install(place)
    seconds = {} if there else {"install": since(start)}
    start = time.perf_counter()
    with running(installed, folder) as address, sync_playwright() as driver:
        seconds["command to address"] = since(start)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=[*FLAGS])
        page, asked = browser.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        seconds["command to page"] = since(start)
        walked, estimates = walk(page)
        browser.close()
    home = address.split("/?")[0]
    outside = [url for url in asked if not url.startswith((home, "data:", "blob:"))]
    return {
        "seconds": seconds | walked,
        "load of the machine at the end": os.getloadavg()[0],
        "requests": len(asked),
        "requests outside": outside,
        "time left": estimates,
    }


def install(place):
    """The package with its extra, in an environment of its own; its Python."""
    venv.create(place, with_pip=True)
    pip = [place / "bin" / "python", "-m", "pip", "install", "-q", f"{ROOT}[app]"]
    subprocess.run([str(word) for word in pip], check=True, env=clean())
    return place / "bin" / "elsewhere"


def clean():
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@contextmanager
def running(command, folder):
    """The address of the app, which runs with empty caches until the block ends."""
    started = subprocess.Popen(
        [str(command), "app", "--no-browser"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=clean() | {"XDG_CACHE_HOME": str(folder / "cache")},
    )
    try:
        yield next(re.search(r"http://\S+", line)[0] for line in started.stderr if "http" in line)
    finally:
        started.send_signal(signal.SIGINT)
        started.wait(20)


def walk(page):
    """(seconds from the open page to each step, estimates of the time left beside the truth)."""
    opened, seconds, said = time.perf_counter(), {}, []
    page.click("text=Try the example")
    page.wait_for_selector("#fit")
    seconds["page to table"] = since(opened)
    page.click("#fit")
    while page.locator("#progress").count():
        if found := LEFT.search(page.inner_text("#said")):
            said.append((since(opened), int(found[1]) * (60 if found[2] == "min" else 1)))
        page.wait_for_timeout(1_000)
    page.wait_for_selector("#ask-row", timeout=PATIENCE)
    seconds["page to first answer"] = since(opened)
    page.click("#ask-row button")
    page.wait_for_selector("#row-answer table", timeout=PATIENCE)
    seconds["page to one row"] = since(opened)
    end = seconds["page to first answer"]
    return seconds, [{"at": at, "said": s, "was": round(end - at, 1)} for at, s in said]


def since(start):
    return round(time.perf_counter() - start, 1)


if __name__ == "__main__":
    main()
