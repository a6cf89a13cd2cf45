"""Pictures of counterfactuals: every sample in every domain, the truth beside, and the failures."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from elsewhere.datasets.pictures import ImageData, as_floats
from elsewhere.escaping import for_picture
from elsewhere.images.metrics import ImageModel, Judges
from elsewhere.report.style import canvas

COLUMNS = 15  # of a grid, about
_GAP, _WIDE = 1, 5  # pixels between images, and between the groups of two domains
_INCHES = 0.42  # of an image
Images = Float[np.ndarray, "n h w c"]


class Failure(NamedTuple):
    """A sample moved to a domain where the judge of classes sees another class."""

    row: int
    target: int
    seen: int


def grid_figure(title: str, model: ImageModel, data: ImageData) -> Figure:
    """Columns: samples of each domain. Rows: the original, then each target; the truth below."""
    present = [d for d in range(data.num_domains) if len(data.rows_of(d))]
    samples = [_varied(data, d, COLUMNS // len(present)) for d in present]
    rows = np.concatenate(samples)
    original, sources = as_floats(data.images[rows]), data.domains[rows]
    blocks = {title: [original, *_answers(model, original, sources, data.num_domains)]}
    if data.truth is not None:
        blocks["the truth"] = [original, *_truths(data, rows)]
    sizes = [len(part) for part in samples]
    labels = ["original", *(for_picture(f"as {name}") for name in data.domain_names)]
    with canvas(_width(sizes, data) + 1.4, len(blocks) * (_height(labels) + 0.75)) as figure:
        axes = figure.subplots(len(blocks), 1, squeeze=False)[:, 0]
        for ax, (name, lines) in zip(axes, blocks.items(), strict=True):
            centres = _show(ax, lines, labels, sizes)
            ax.set_title(for_picture(name), loc="left")
            names = [for_picture(f"from {data.domain_names[d]}") for d in present]
            ax.set_xticks(centres, names)
    return figure


def failures_figure(
    title: str, model: ImageModel, data: ImageData, judges: Judges, most: int = COLUMNS
) -> Figure:
    """Samples whose class was not preserved: the original, the answer and, if known, the truth."""
    found, share = failures(model, data, judges, most)
    rows = np.array([failure.row for failure in found], int)
    lines, labels = [as_floats(data.images[rows])], ["original", "answer"]
    lines.append(np.concatenate([_moved(model, data, failure) for failure in found] or lines))
    if data.truth is not None and found:
        labels.append("truth")
        lines.append(as_floats(np.concatenate([data.counterfactual([r], t) for r, t, _ in found])))
    heading = f"{title}: class not preserved in {share:.1%} of moves"
    with canvas(max(6.0, 0.62 * len(found) + 1.2), 2.7) as figure:
        ax = figure.subplots()
        ax.set_title(heading if found else f"{heading}; none to show", loc="left")
        if found:
            centres = _show(ax, lines, labels, [1] * len(found))
            ax.set_xticks(centres, [_words(data, failure) for failure in found], fontsize=6)
        else:
            ax.set_axis_off()
    return figure


def failures(
    model: ImageModel, data: ImageData, judges: Judges, most: int
) -> tuple[list[Failure], float]:
    """(failures, one of each pair of domains in turn; the share of all moves that fail)."""
    if data.classes is None:
        raise ValueError("data must have classes, because a failure is a class that was not kept.")
    found: list[list[Failure]] = []
    for d in range(data.num_domains):
        rows = data.rows_of(d)
        for target in (e for e in range(data.num_domains) if e != d):
            away = np.asarray(model.counterfactual(as_floats(data.images[rows]), d, target))
            seen = judges.of_class.predict(np.clip(away, 0, 1).astype(np.float32))
            wrong = np.flatnonzero(seen != data.classes[rows])
            found.append([Failure(int(rows[i]), target, int(seen[i])) for i in wrong])
    count = sum(map(len, found))
    longest = max(map(len, found), default=0)
    turns = [part[i] for i in range(longest) for part in found if i < len(part)]
    return turns[:most], count / max(1, len(data) * (data.num_domains - 1))


def mosaic(
    lines: Sequence[Images], sizes: Sequence[int]
) -> tuple[Float[np.ndarray, "H W 3"], list[float]]:
    """(one picture of lines of images, the middle of each group of columns)."""
    _, h, w, c = lines[0].shape
    starts = np.concatenate([np.arange(size) * (w + _GAP) for size in sizes])
    widths = np.array([size * (w + _GAP) + _WIDE - _GAP for size in sizes])
    lefts = np.concatenate([[0], np.cumsum(widths)])
    starts = starts + np.repeat(lefts[:-1], sizes)
    picture = np.ones((len(lines) * (h + _GAP) - _GAP, lefts[-1] - _WIDE, 3), np.float32)
    for i, line in enumerate(lines):
        for image, left in zip(line, starts, strict=True):
            picture[i * (h + _GAP) : i * (h + _GAP) + h, left : left + w] = image[..., : min(c, 3)]
    return picture, [
        float(left + (width - _WIDE) / 2) for left, width in zip(lefts, widths, strict=False)
    ]


def _show(
    ax: Axes, lines: Sequence[Images], labels: Sequence[str], sizes: Sequence[int]
) -> list[float]:
    picture, centres = mosaic(lines, sizes)
    ax.imshow(np.clip(picture, 0, 1), interpolation="nearest")
    h = lines[0].shape[1]
    ax.set_yticks([i * (h + _GAP) + h / 2 for i in range(len(lines))], labels)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return centres


def _varied(data: ImageData, d: int, count: int) -> Int[np.ndarray, " r"]:
    """So many samples of a domain, of as many classes as there are."""
    rows = data.rows_of(d)
    kinds = np.zeros(len(rows), int) if data.classes is None else data.classes[rows]
    rank = np.zeros(len(rows), int)
    for kind in np.unique(kinds):
        rank[kinds == kind] = np.arange((kinds == kind).sum())
    turn = (kinds - d * count) % (kinds.max(initial=0) + 1)
    return rows[np.lexsort((turn, rank))[: max(1, count)]]


def _answers(
    model: ImageModel, images: Images, sources: Int[np.ndarray, " n"], num_domains: int
) -> list[Images]:
    """The images in every domain, each asked as from its own."""
    lines = [np.empty_like(images) for _ in range(num_domains)]
    for target, line in enumerate(lines):
        for d in np.unique(sources):
            line[sources == d] = model.counterfactual(images[sources == d], int(d), target)
    return lines


def _truths(data: ImageData, rows: Int[np.ndarray, " r"]) -> list[Images]:
    return [as_floats(data.counterfactual(rows, target)) for target in range(data.num_domains)]


def _moved(model: ImageModel, data: ImageData, failure: Failure) -> Images:
    one = as_floats(data.images[[failure.row]])
    return np.asarray(
        model.counterfactual(one, int(data.domains[failure.row]), failure.target), np.float32
    )


def _words(data: ImageData, failure: Failure) -> str:
    source, target = int(data.domains[failure.row]), failure.target
    assert data.classes is not None
    true, seen = data.class_names[data.classes[failure.row]], data.class_names[failure.seen]
    words = f"{_short(data, source)}\n→ {_short(data, target)}\n{true}\nas {seen}"
    return for_picture(words)


def _short(data: ImageData, d: int) -> str:
    """A domain's name, or its number where names are long."""
    name = data.domain_names[d]
    return name if len(name) <= 8 else f"d = {d}"


def _width(sizes: Sequence[int], data: ImageData) -> float:
    return _INCHES * sum(sizes)


def _height(labels: Sequence[str]) -> float:
    return _INCHES * len(labels)
