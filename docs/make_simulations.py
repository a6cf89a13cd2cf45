"""Regenerates docs/simulations.md from results/S*: `python docs/make_simulations.py`.

This is the only way that page and its figures are made.
"""

import json
import shutil
from pathlib import Path

import pandas as pd

from elsewhere.experiments.cells import EXPERIMENTS
from elsewhere.experiments.summary import markdown, places, summarise

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results"
BASELINES = ("gaussian_ot", "combat", "mean_variance", "identity")
HEAD = """# The simulated experiments

The paper's simulations with `elsewhere reproduce`: what Can and Dense answer, beside what people
use today. Entries are the mean counterfactual error over seeds ± its standard error: the squared
distance to the true counterfactual a coordinate, over ordered pairs of different domains. The
data are the *sparse* ones, whose truths differ in just the mechanisms named;
[Case 1](case-one.md) says how those printed in the paper differ. Rows, tables by seed (with each
fit's distance from the truth in nats) and figures are in `results/` of the repository.
"""


def main() -> None:
    """Write the page and copy the figures."""
    parts = [
        section(name, folder, suffix)
        for folder, suffix in ((RESULTS, ""), (RESULTS / "recipe", " beside the paper's recipe"))
        for name in EXPERIMENTS
        if (folder / name).is_dir()
    ]
    (DOCS / "simulations.md").write_text("\n".join([HEAD, *parts]))


def section(name: str, folder: Path, suffix: str) -> str:
    """The title, what it shows in a sentence, the table and the figure of one experiment."""
    frame = pd.read_parquet(folder / name / "rows.parquet")
    figure = f"figures/simulations/{name}{'-recipe' if suffix else ''}.png"
    shutil.copy(folder / name / "figure.png", DOCS / figure)
    made_by = json.loads((folder / name / "made-by.json").read_text())
    title = EXPERIMENTS[name].title + suffix
    return (
        f"## {name}: {title}\n\n`{made_by['command']}`\n\n{verdict(frame)}\n\n"
        f"{markdown(name, frame)}\n\n![{title}]({figure})\n"
    )


def verdict(frame: pd.DataFrame) -> str:
    """In how many cells Can is ahead, and how often the truth lies in its spread."""
    wide = summarise(frame).pivot_table(
        index=places(frame), columns="method", values="mean", sort=False
    )
    lowest = wide[[name for name in BASELINES if name in wide]].min(axis=1)
    text = f"Can is below every baseline in {(wide['can'] < lowest).sum()} of {len(wide)} cells"
    text += f" and below Dense in {(wide['can'] < wide['dense']).sum()}"
    can = frame[frame["method"] == "can"]
    if "coverage" not in can:
        return text + "."
    return text + f"; the true counterfactual lies in its spread for {can['coverage'].mean():.1%}."


if __name__ == "__main__":
    main()
