"""The tables of an image experiment: mean ± standard deviation over seeds."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

# column of the rows → heading; shares are shown in per cent, the rest as they are, to some places
SHARES = {
    "composition": "Comp",
    "reversibility": "Rev",
    "effectiveness": "Eff",
    "preservation": "Pre",
}
DISTANCES = {
    "pixel_error": ("pixel error", 1),
    "minimality": ("minimality", 2),
    "sharpness": ("sharpness", 2),
}
JUDGES = {
    "class_accuracy": "class, clean",
    "class_accuracy_reconstructed": "class, reconstructed",
    "domain_accuracy": "domain, clean",
    "domain_accuracy_reconstructed": "domain, reconstructed",
}
NOTE = (
    "Mean ± standard deviation over {seeds} seed{s} of the models; the judges and the {images} "
    "test images are the same for all, and so is the autoencoder, which the paper's recipe does "
    "without. Shares in per cent, higher is "
    "better; pixel error is the squared distance to the true counterfactual, {unmoved} for doing "
    "nothing, and minimality the change that was not called for: lower is better; sharpness is "
    "the squared slope of pixels as a share of that of real images."
)


def table_cells(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """(headings, a line per model) of the scores."""
    known = {name: places for name, (_, places) in DISTANCES.items() if _known(frame, name)}
    headings = ["model", *SHARES.values(), *(DISTANCES[name][0] for name in known)]
    lines = [
        [
            label,
            *(_entry(100 * _values(rows, name), 1) for name in SHARES),
            *(_entry(_values(rows, name), places) for name, places in known.items()),
        ]
        for label, rows in frame.groupby("label", sort=False)
    ]
    return headings, lines


def judge_cells(frame: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """(headings, a line for the models that share an autoencoder, then one per recipe)."""
    names = list(JUDGES)
    groups: dict[tuple[str, ...], list[str]] = {}
    for label, rows in frame.groupby("label", sort=False):
        entries = tuple(_entry(100 * _values(rows, name), 1) for name in names)
        groups.setdefault(entries, []).append(str(label))
    headings = ["accuracy of judges", *JUDGES.values()]
    all_alike = len(groups) == 1 and len(set(frame["label"].tolist())) > 1
    return headings, [
        ["all models" if all_alike else "; ".join(labels), *entries]
        for entries, labels in groups.items()
    ]


def markdown_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """The cells in Markdown."""
    rows = [headings, ["---"] * len(headings), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def note(frame: pd.DataFrame, images: int) -> str:
    """What the figures are, in words."""
    seeds, name = len(set(frame["seed"].tolist())), "pixel_error_unmoved"
    unmoved = f"{np.nanmean(_values(frame, name)):.1f}" if _known(frame, name) else "not known"
    return NOTE.format(seeds=seeds, s="" if seeds == 1 else "s", images=images, unmoved=unmoved)


def _values(rows: pd.DataFrame, name: str) -> Float[np.ndarray, " n"]:
    return rows[name].to_numpy(float)


def _known(rows: pd.DataFrame, name: str) -> bool:
    return name in rows and bool(np.isfinite(_values(rows, name)).any())


def _entry(values: Float[np.ndarray, " n"], places: int) -> str:
    """mean ± sd; one seed alone has no spread."""
    if np.isnan(values).all():
        return ""
    if len(values) == 1:
        return f"{values[0]:.{places}f}"
    return f"{values.mean():.{places}f} ± {values.std(ddof=1):.{places}f}"
