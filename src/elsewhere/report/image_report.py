"""One page on a model of images: the answers in pictures, and how far to trust them."""

from pathlib import Path

from numpy.typing import ArrayLike

from elsewhere.datasets.pictures import ImageData
from elsewhere.escaping import Html
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.estimators.image_labels import image_codes
from elsewhere.report.blocks import (
    banner,
    card,
    cards,
    heading,
    numbers,
    paragraph,
    picture,
    reproduced,
)
from elsewhere.report.image_grids import grid_figure
from elsewhere.report.move_your_rows import move_your_images
from elsewhere.report.page import write_page
from elsewhere.trust.images import ImageTrust, image_trust
from elsewhere.trust.judgement import percent

TITLE = "Had they come from elsewhere?"
_STEPS = (
    "Every image is summed up in a few numbers. What makes it individual is found in them, the "
    "domain is changed, and numbers and image are made again."
)


def write_image_report(
    estimator: ImageDomainCounterfactual,
    images: ArrayLike,
    domains: ArrayLike,
    path: str | Path,
    *,
    trust: ImageTrust | None = None,
    command: str = "",
    random_state: int = 0,
) -> Path:
    """One self-contained HTML page on a fitted estimator and images of its domains.

    Args:
        estimator: fitted.
        images: like those fitted.
        domains: one label per image.
        path: where to write; the file appears whole or not at all.
        trust: from `image_trust`; made here where it is not given.
        command: how the page was made, to be shown.
        random_state: of the images that are drawn.
    """
    x = estimator.like_fitted(images)
    names = estimator.domains_
    data = ImageData(x, image_codes("domains", domains, len(x), names), names)
    found = trust or image_trust(estimator, x, domains, random_state=random_state)
    drawn = f"At most 200 images of each domain were drawn to be checked, seed {random_state}."
    body = [
        *_top(estimator, found),
        *_answer(estimator, data),
        *_panel(found),
        *move_your_images(str(names[-1])),
        heading("What was done"),
        paragraph(f"{_STEPS} {_mechanisms(estimator)}"),
        *reproduced(estimator, command, drawn),
    ]
    return write_page(path, TITLE, body)


def _top(estimator: ImageDomainCounterfactual, trust: ImageTrust) -> list[Html]:
    h, w, c = estimator.shape_
    colours = "in colour" if c > 1 else "in grey"
    lead = (
        f"{sum(seen.images for seen in trust.seen):,} images of {h} × {w} pixels {colours} from "
        f"{len(trust.seen)} domains."
    )
    return [heading(TITLE, 1), paragraph(lead, "lead"), banner(trust)]


def _mechanisms(estimator: ImageDomainCounterfactual) -> str:
    if estimator.variant == "independent":
        return f"Each of {estimator.m} numbers has a model of its own in each domain."
    own = "all" if estimator.variant == "dense" else f"{estimator.k}"
    return f"Of {estimator.m} numbers, {own} may come about differently from domain to domain."


def _answer(estimator: ImageDomainCounterfactual, data: ImageData) -> list[Html]:
    text = (
        "In its own domain an image is shown as the model sees it: detail that is lost there is "
        "lost in every answer."
    )
    figure = grid_figure("answers", estimator.model_, data)
    caption = "Columns: images, by their domain. Rows: as they are, then as if from each domain."
    return [heading("The answer"), paragraph(text), picture(figure, caption)]


def _panel(trust: ImageTrust) -> list[Html]:
    seen = [["domain", "images", "kept"]]
    seen += [[s.domain, f"{s.images:,}", percent(max(0.0, 1 - s.lost))] for s in trust.seen]
    alike = [["from", "to", "moved", "unmoved", "p"]]
    back = [["from", "to", "move", "lost on the way"]]
    for move in trust.moves:
        one = move.likeness
        pair = [str(one.source), str(one.target)]
        alike.append([*pair, f"{one.effect:.3f}", f"{one.effect_before:.3f}", f"{one.p_value:.3f}"])
        back.append([*pair, f"{move.change:.2f}", percent(move.round_trip)])
    inside = {"seen": numbers(seen), "likeness": numbers(alike), "return": numbers(back)}
    made = [
        card(trust.titles[name], verdict, inside.get(name, Html()))
        for name, verdict in trust.verdicts.items()
    ]
    return [heading("How far to trust it"), cards(made)]
