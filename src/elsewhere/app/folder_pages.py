"""The page of a folder of images: its domains, some images of each, and what can be chosen."""

import base64
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from elsewhere.app.document import box, document, problem, tag, tick
from elsewhere.datasets.pictures.files import read_image
from elsewhere.datasets.pictures.folders import files_by_domain
from elsewhere.escaping import Html, for_html
from elsewhere.markup import element, heading, paragraph, table, together

SHOWN, MOST_DOMAINS, SIDE = 6, 12, 64  # images per domain, domains, and pixels of an image shown
SMALLEST, LARGEST, USUAL = 8, 128, 32  # pixels of an image that is fitted
FEWEST, MOST, STEPS = 20, 20_000, 2_000  # steps of training


def folder_page(about: Mapping[str, Any], folder: Path, wrong: str = "") -> str:
    """The domains with their sizes, some images, and what to fit."""
    domains: dict[str, int] = about["domains"]
    lead = (
        f"{sum(domains.values()):,} images from {len(domains)} domains, {about['pixels']} pixels."
    )
    rows = [["domain", "images"], *([name, f"{n:,}"] for name, n in domains.items())]
    body = [
        heading(str(about["file"]), 1),
        paragraph(lead, "lead"),
        *problem(wrong),
        heading("Where images came from"),
        table(rows, "fixed"),
        *_looks(folder),
        _asking(about),
    ]
    return document(str(about["file"]), body)


def pixels_in_words(pixels: Mapping[tuple[int, int], int]) -> str:
    """28 × 28, or from the smallest to the largest."""
    shapes = sorted(pixels, key=lambda shape: shape[0] * shape[1])
    (h, w), (top, wide) = shapes[0], shapes[-1]
    return f"{h} × {w}" + (f" to {top} × {wide}" if len(shapes) > 1 else "")


def best_size(pixels: Mapping[tuple[int, int], int]) -> int:
    """The size to fit: the largest side, where a fit of it takes minutes and not hours."""
    largest = max(max(shape) for shape in pixels)
    return min(max(largest, SMALLEST), USUAL)


def _looks(folder: Path) -> list[Html]:
    found = [heading("Some of them")]
    for name, paths in list(files_by_domain(folder).items())[:MOST_DOMAINS]:
        few = paths[:: max(1, len(paths) // SHOWN)][:SHOWN]
        images = [_image(path, f"{name}: {path.name}") for path in few]
        found.append(element("figure", [*images, element("figcaption", name)], "strip"))
    return found


def _image(path: Path, alt: str) -> Html:
    from PIL import Image

    pixels, buffer = read_image(path, SIDE), io.BytesIO()
    Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels).save(buffer, "PNG")
    data = base64.b64encode(buffer.getvalue()).decode()
    return Html(f'<img src="data:image/png;base64,{data}" alt="{for_html(alt)}">')


def _asking(about: Mapping[str, Any]) -> Html:
    size = {"min": SMALLEST, "max": LARGEST, "value": about["best"]}
    steps = {"min": FEWEST, "max": MOST, "value": STEPS}
    blocks = [
        heading("What to fit"),
        _number("size", "Pixels: every image is resized to this height and width", **size),
        _number("steps", "Training steps: fewer are faster, but images get more blurred", **steps),
        tick("colours", "1", "Domains differ in colour", checked=False),
        tick("far", "1", "Domains differ strongly, such as by a rotation of 90°", checked=False),
        paragraph(
            "A fit takes some minutes at 32 pixels, and four times as long at 64. You can cancel "
            "it at any time.",
            "small",
        ),
        tag("p", tag("button", "Fit", class_="button main", type="submit", id="fit")),
    ]
    return tag("form", together(blocks), method="post", action=f"/folders/{about['id']}/fit")


def _number(name: str, words: str, **values: object) -> Html:
    made = box(type="number", id=name, name=name, required=True, **values)
    return tag("p", together([tag("label", f"{words}: ", for_=name), made]))


def choose_folder(endings: Sequence[str]) -> Html:
    """Where images come in: a ZIP file, or a folder of this machine."""
    words = ", ".join(endings)
    packed = [
        tag("label", "Choose a ZIP file: ", for_="zip"),
        box(type="file", id="zip", name="file", accept=".zip"),
    ]
    loose = [
        tag("label", f"or a folder of images ({words}): ", for_="folder"),
        box(type="file", id="folder", name="files", webkitdirectory=True, multiple=True),
    ]
    inner = [
        paragraph(
            "Or drop images here: a ZIP file of a folder with one sub-folder per place they came "
            "from, such as north/ and south/."
        ),
        tag("p", together(packed)),
        tag("p", together(loose)),
        tag("button", "Open images", type="submit", class_="button", id="open-images"),
    ]
    form = {"method": "post", "action": "/folders", "enctype": "multipart/form-data"}
    return tag("form", together(inner), **form, class_="drop", id="drop-images")
