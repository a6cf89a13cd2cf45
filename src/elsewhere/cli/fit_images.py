"""`elsewhere fit` of a folder of images."""

from collections import Counter
from pathlib import Path
from typing import Any

from elsewhere.cli.inspect import image_summary_of
from elsewhere.cli.talk import progress_bar
from elsewhere.datasets.pictures import load_folder
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.images.fit_codes import FAR


def fit_folder(
    data: str, out: Path, k: Any, seed: int, given: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """(summary, a sentence) of a model of the images, which is written to `out`."""
    settings = {name: value for name, value in given.items() if name != "far"}
    settings |= {"flow": FAR} if given.get("far") else {}
    settings |= {"variant": "dense"} if k is None else {} if k == "auto" else {"k": k}
    estimator = ImageDomainCounterfactual(**settings, random_state=seed)
    images = load_folder(data, size=estimator.size)
    with progress_bar() as progress:
        estimator.fit(images, progress=progress)
    estimator.save(out)
    counts = Counter(images.domain_names[d] for d in images.domains.tolist())
    summary = {"model": str(out), "images": dict(counts)} | image_summary_of(estimator)
    return summary, _sentence(summary)


def _sentence(summary: dict[str, Any]) -> str:
    total = sum(summary["images"].values())
    return (
        f"{summary['model']}: {total} images of {len(summary['images'])} domains, "
        f"{summary['height']} × {summary['width']} pixels, {summary['channels']} channel(s), codes "
        f"of {summary['m']} numbers, k = {summary['k']}"
    )
