"""Is the time left that the app shows the time that is left?

python benchmarks/time_left.py --out results/benchmarks/time_left.json

Runs what the app runs, in processes of their own, for a table whose maps come from moments, a table
for which hidden causes are searched, and a folder of images. Every estimate is kept beside the
truth, and so is how far each command was when it had started and when it ended, as a share of the
whole: from these, `shares` in `app/fit_request.py` and `app/image_fit_request.py` are set.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import jax
import numpy as np
import pandas as pd
from PIL import Image

from elsewhere.app.example import COLUMNS, example_table
from elsewhere.app.fit_request import FitRequest
from elsewhere.app.image_fit_request import ImageFitRequest
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import RUNNING, Store
from elsewhere.datasets import simulate, simulated_truth
from elsewhere.experiments.provenance import provenance


def moments(folder):
    example_table().to_csv(folder / "biopsies.csv", index=False)
    return FitRequest("t", "biopsies.csv", "scanner", tuple(COLUMNS)), folder / "biopsies.csv"


def searched(folder):
    keys = jax.random.split(jax.random.key(100), 2)
    truth = simulated_truth(keys[0], m=5, num_domains=3, intervened={3, 4})
    rows = np.asarray(simulate(keys[1], truth, train=2_000).train).reshape(-1, 5)
    names = list("abcde")
    sites = np.repeat(["north", "south", "east"], 2_000)
    pd.DataFrame(rows, columns=names).assign(site=sites).to_csv(folder / "s.csv", index=False)
    return FitRequest("t", "s.csv", "site", tuple(names), thorough=True), folder / "s.csv"


def images(folder):
    rng, place = np.random.default_rng(100), folder / "scans"
    for d, shift in (("north", 0), ("south", 60)):
        (place / d).mkdir(parents=True)
        for i in range(100):
            pixels = rng.integers(0, 40, (16, 16)) + shift
            row, column = rng.integers(2, 10, 2)
            pixels[row : row + 4, column : column + 4] += 120
            Image.fromarray(pixels.astype(np.uint8)).save(place / d / f"{i}.png")
    return ImageFitRequest("f", "scans", size=16, steps=300), place


CASES = {"moments": moments, "searched": searched, "images": images}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    choices = parser.parse_args()
    found = {name: measured(CASES[name]) for name in choices.cases}
    made_by = provenance(" ".join(["python", *sys.argv]), [100])
    choices.out.write_text(json.dumps({"made_by": made_by, **found}, indent=1) + "\n")
    for name, one in found.items():
        print(name, {k: v for k, v in one.items() if k != "estimates"})


def measured(case):
    """What one fit and its report said of the time left, and what it was."""
    with tempfile.TemporaryDirectory() as folder:
        asked, data = case(Path(folder))
        return asyncio.run(followed(Path(folder), asked, data))


async def followed(folder, asked, data):
    store = Store(folder / "store")
    fit, jobs = store.new("fits", {"status": RUNNING, "asked": {}}), Jobs(store)
    start, said, begun = time.time(), [], {}
    jobs.start(fit, asked.commands(data), asked.shares)
    while (about := store.about("fits", fit))["status"] == RUNNING:
        now = time.time() - start
        text = about.get("text", "")
        begun.setdefault(text.split(":")[0] + (" starts" if "starting" in text else ""), now)
        if about.get("until"):
            said.append((now, about["until"] - start - now))
        await asyncio.sleep(0.25)
    took = time.time() - start
    estimates = [{"at": at, "said": max(s, 0.0), "was": took - at} for at, s in said[::4]]
    off = [abs(one["said"] - one["was"]) for one in estimates]
    return {
        "status": about["status"],
        "seconds": round(took, 1),
        "shares": {name: round(at / took, 3) for name, at in begun.items()},
        "mean error of the estimates, share of the whole": round(float(np.mean(off)) / took, 3),
        "largest error, share of the whole": round(max(off) / took, 3),
        "estimates": [{k: round(v, 1) for k, v in one.items()} for one in estimates],
    }


if __name__ == "__main__":
    main()
