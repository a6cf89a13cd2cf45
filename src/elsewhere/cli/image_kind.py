"""What the commands do with folders of images."""

from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

from elsewhere.cli.image_folders import asked_files, read_asked, write_moved
from elsewhere.cli.kinds import Kind, Listing, Question
from elsewhere.cli.options import read_k
from elsewhere.cli.output import progress_bar
from elsewhere.cli.paired_folders import read_image_pairs
from elsewhere.datasets.pictures import load_folder
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.estimators.image_fit import check_size
from elsewhere.images.fit_codes import FAR

_PLAIN = ("size", "m", "colours", "steps")  # options that the estimator calls the same


class ImageKind(Kind):
    """Images in one folder per domain."""

    def fit(self, data: str, out: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Fit to a folder with one sub-folder per domain."""
        estimator = ImageDomainCounterfactual(**_settings(asked), random_state=asked["seed"])
        check_size(estimator.size or 1, estimator.size or 1, estimator.m)
        images, folder = load_folder(data, size=estimator.size), asked.get("pairs")
        pairs = read_image_pairs(folder, estimator.size) if folder else None
        with progress_bar() as progress:
            estimator.fit(images, pairs=pairs, progress=progress)
        estimator.save(out)
        counts = Counter(images.domain_names[d] for d in images.domains.tolist())
        summary = {"model": str(out), "images": dict(counts)} | self.summary(estimator)
        return summary, _sentence(summary)

    def load(self, path: Path, header: Mapping[str, Any]) -> ImageDomainCounterfactual:
        """The estimator as it was saved."""
        return ImageDomainCounterfactual.load(path)

    def summary(self, estimator: ImageDomainCounterfactual) -> dict[str, Any]:
        """Domains, size of the images and of their codes, k, notes."""
        height, width, channels = estimator.shape_
        return {
            "domains": list(estimator.domains_),
            "height": height,
            "width": width,
            "channels": channels,
            "m": estimator.m,
            "k": estimator.k if estimator.variant in ("can", "identity") else estimator.variant,
            "colours": estimator.colours,
            "size": estimator.size,
            "seed": estimator.random_state,
            "notes": list(estimator.notes_),
        }

    def listings(self, summary: Mapping[str, Any]) -> dict[str, Listing]:
        """None: every entry is a line."""
        return {}

    def answer(
        self, estimator: ImageDomainCounterfactual, asked: Question
    ) -> tuple[dict[str, Any], str]:
        """PNG files at the places of the images asked about."""
        if asked.spread or asked.interval is not None or asked.out == "-":
            ranges = "--spread" if asked.spread else "--interval"
            given = "--out -" if asked.out == "-" else ranges
            raise ValueError(f"{given} works only with table models; this is an image model.")
        where = asked.data, asked.out, asked.to, asked.source
        with progress_bar() as bar:
            written = write_moved(estimator, *where, force=asked.force, progress=bar)
        return written, f"{written['images_written']} images"

    def add(
        self, estimator: ImageDomainCounterfactual, data: str, source: str | None
    ) -> Mapping[Hashable, int]:
        """Refused: the autoencoder has seen the domains that it was fitted to, and no others."""
        raise ValueError(
            f"a model of images takes no further domain, since its codes are those of "
            f"{list(estimator.domains_)}. Fit again to a folder with all domains."
        )

    def read(
        self, estimator: ImageDomainCounterfactual, data: str, source: str | None
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The images, and the domain of each; models of images need no more."""
        asked = asked_files(data, source, estimator.domains_)
        return read_asked(asked, estimator), [one.domain for one in asked], {}

    def checks(self, invariants: str, planted: bool) -> dict[str, Any]:
        """Nothing to choose; no truth is planted."""
        if invariants:
            raise ValueError("--invariants works only with table models; this is an image model.")
        return {}


def _settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    k = read_k(asked["k"])
    settings = {name: asked[name] for name in _PLAIN if asked.get(name) is not None}
    settings |= {"flow": FAR} if asked.get("far") else {}
    return settings | ({"variant": "dense"} if k is None else {} if k == "auto" else {"k": k})


def _sentence(summary: Mapping[str, Any]) -> str:
    total = sum(summary["images"].values())
    return (
        f"{summary['model']}: {total} images of {len(summary['images'])} domains, "
        f"{summary['height']} × {summary['width']} pixels, {summary['channels']} channel(s), codes "
        f"of {summary['m']} numbers, k = {summary['k']}"
    )
