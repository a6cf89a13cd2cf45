"""Folders of images between files and the estimator: one sub-folder per domain."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt8

from elsewhere.cli.kinds import domain_called
from elsewhere.datasets.pictures.files import ImageFileError, image_paths, read_image
from elsewhere.datasets.pictures.folders import files_by_domain
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.estimators.labels import EVERY
from elsewhere.files import never_replace, write_whole
from elsewhere.fitting.progress import Progress

AT_ONCE = 500  # files that are read, moved and written before the next


@dataclass(frozen=True)
class AskedImage:
    """An image file, its domain, and where its answer stands in the folder of answers."""

    path: Path
    domain: str
    place: Path


def asked_files(data: str, source: str | None, domains: Sequence[str]) -> list[AskedImage]:
    """The files of a folder with one sub-folder per domain; or with --from, of a folder or one."""
    folder = Path(data)
    if source is not None:
        domain = _known(source, domains)
        paths = image_paths(folder) if folder.is_dir() else [folder]
        if not paths:
            raise ImageFileError(
                f"{data} must hold images of {domain!r} itself; got none. Leave --from out where "
                "sub-folders name the domains."
            )
        return [AskedImage(path, domain, _png(Path(path.name))) for path in paths]
    if not folder.is_dir():
        raise ImageFileError(
            f"{data} must be a folder with one sub-folder per domain; for one image, use --from."
        )
    found = files_by_domain(folder)
    if not found:
        raise ImageFileError(
            f"{data} must hold one sub-folder per domain; got none. For images of one domain, use "
            "--from."
        )
    return [
        AskedImage(path, _known(domain, domains), _png(path.relative_to(folder)))
        for domain, paths in found.items()
        for path in paths
    ]


def read_asked(
    asked: Sequence[AskedImage], estimator: ImageDomainCounterfactual
) -> UInt8[np.ndarray, "n h w c"]:
    """The images, of the size and the channels of the fit."""
    return np.stack([_read(one.path, estimator) for one in asked])


def write_moved(
    estimator: ImageDomainCounterfactual,
    data: str,
    out: str,
    to: str,
    source: str | None,
    *,
    force: bool,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write every answer as a PNG file at the place of its question, and say what was written."""
    domains = estimator.domains_
    targets = list(domains) if to == EVERY else [_known(to, domains)]
    asked = asked_files(data, source, domains)
    places = _places(asked, Path(out), targets, every=to == EVERY)
    _check_places(asked, list(places.values()), force)
    done = 0
    for part, images in _parts(asked, estimator):
        for target in targets:
            moved = estimator.counterfactual(images, [one.domain for one in part], target)
            for one, image in zip(part, moved, strict=True):
                write_whole(places[one.path, target], _encoded(image))
        done += len(part)
        if progress is not None:
            progress(done / len(asked), f"{done} of {len(asked)} images")
    written = len(asked) * len(targets)
    return {"out": out, "to": targets, "images": len(asked), "images_written": written}


def _parts(
    asked: list[AskedImage], estimator: ImageDomainCounterfactual
) -> Iterator[tuple[list[AskedImage], UInt8[np.ndarray, "n h w c"]]]:
    for start in range(0, len(asked), AT_ONCE):
        part = asked[start : start + AT_ONCE]
        yield part, read_asked(part, estimator)


def _places(
    asked: list[AskedImage], out: Path, targets: list[str], *, every: bool
) -> dict[tuple[Path, str], Path]:
    """Where each answer goes: the file itself for one image, else as in the folder asked about."""
    if len(asked) == 1 and not every and out.suffix.lower() == ".png":
        return {(asked[0].path, targets[0]): out}
    roots = {target: out / _folder_name(target) if every else out for target in targets}
    return {(one.path, target): roots[target] / one.place for target in targets for one in asked}


def _folder_name(domain: str) -> str:
    if domain == ".." or Path(domain).name != domain:
        raise ValueError(f"domain {domain!r} names no folder: ask for one domain at a time.")
    return domain


def _check_places(asked: list[AskedImage], places: list[Path], force: bool) -> None:
    """Raise where answers would share a name, replace a file unasked, or a question at all."""
    if len({*places}) < len(places):
        twice = next(place for place in places if places.count(place) > 1)
        raise ValueError(f"two images would both be written to {twice}: rename one of them.")
    questions = {one.path.resolve() for one in asked}
    if own := [place for place in places if place.resolve() in questions]:
        raise ValueError(f"{own[0]} is an input and would be overwritten. Choose another folder.")
    there = [place for place in places if place.exists()]
    if there and not force:
        raise ValueError(
            f"{there[0]} already exists. Add --force to overwrite it, or choose another folder."
        )
    for place in places:
        never_replace(place, not force)


def _known(domain: str, domains: Sequence[str]) -> str:
    return domain_called({name: name for name in domains}, domain)


def _read(path: Path, estimator: ImageDomainCounterfactual) -> UInt8[np.ndarray, "h w c"]:
    image, shape = read_image(path, estimator.size), estimator.shape_
    if image.shape != shape:
        raise ImageFileError(
            f"{path} must have the height, width and channels of those fitted, {shape}; got "
            f"{image.shape}. Convert it, or fit again with --size."
        )
    return image


def _png(place: Path) -> Path:
    return place.with_suffix(".png")


def _encoded(image: UInt8[np.ndarray, "h w c"]) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image).save(buffer, "PNG")
    return buffer.getvalue()
