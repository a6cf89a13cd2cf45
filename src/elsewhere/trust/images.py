"""Checks of a model of images that need no classes: what it sees, where it leads, what returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from elsewhere.datasets.pictures import as_floats
from elsewhere.errors import DomainError
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.estimators.image_labels import image_codes
from elsewhere.fitting.progress import Progress, silent
from elsewhere.trust.every_check import AbstractTrust
from elsewhere.trust.judgement import Judgement, graded, listed, percent
from elsewhere.trust.two_sample import ROWS, Likeness, likeness, likeness_verdict

IMAGE_TITLES = {
    "seen": "Does the model see what is in an image?",
    "likeness": "Do moved images look real?",
    "return": "Do images come back?",
    "fit": "Did the fit raise a warning?",
}
_LOST = 0.25, 0.6  # of what varies between images: more is a caution, from the second on bad
_SCALE = f"Fine from {percent(1 - _LOST[0])}, poor up to {percent(1 - _LOST[1])}."
_Images = Float[np.ndarray, "n h w c"]


@dataclass(frozen=True)
class Seen:
    """A domain's images: `lost` = Σ|x − x̂|² / Σ|x − mean x|², x̂ their plain reconstructions."""

    domain: str
    images: int
    lost: float


@dataclass(frozen=True)
class ImageMove:
    """Images of one domain moved to another.

    Attributes:
        likeness: their codes against those of the target's own images.
        change: the root mean square move of a code's numbers, in standard deviations of a domain.
        round_trip: Σ|x̂_{d→d'→d} − x̂|² / Σ|x̂ − mean x̂|², the answer being read anew.
    """

    likeness: Likeness
    change: float
    round_trip: float


@dataclass(frozen=True)
class ImageTrust(AbstractTrust):
    """What is known of an image model's answers, and the warnings first."""

    seen: tuple[Seen, ...]
    moves: tuple[ImageMove, ...]
    notes: tuple[str, ...]

    @property
    def titles(self) -> Mapping[str, str]:
        """The heading of every check, by name."""
        return IMAGE_TITLES

    @property
    def verdicts(self) -> dict[str, Judgement]:
        """The verdict of every check, by name."""
        pairs = tuple(move.likeness for move in self.moves)
        words = " ".join(self.notes) or "It raised none."
        return {
            "seen": _seen_verdict(self.seen),
            "likeness": likeness_verdict(pairs, "images"),
            "return": _return_verdict(self.moves),
            "fit": Judgement("bad" if self.notes else "good", words),
        }


def image_trust(
    estimator: ImageDomainCounterfactual,
    images: ArrayLike,
    domains: ArrayLike,
    *,
    random_state: int = 0,
    progress: Progress = silent,
) -> ImageTrust:
    """Every check of a fitted estimator on images of its domains, at most 200 of each.

    Args:
        estimator: fitted.
        images: like those fitted; those themselves will do.
        domains: one label per image.
        random_state: the seed of everything that is drawn.
        progress: called with the fraction done and what is being checked.
    """
    x = estimator.like_fitted(images)
    labels = image_codes("domains", domains, len(x), estimator.domains_)
    rng = np.random.default_rng(random_state)
    rows = {d: rng.permutation(np.flatnonzero(labels == d))[:ROWS] for d in np.unique(labels)}
    present = {int(d): as_floats(x[some]) for d, some in rows.items() if len(some) > 1}
    if len(present) < 2:
        names = [estimator.domains_[d] for d in present]
        raise DomainError(
            "images must hold at least 2 images of at least 2 of the domains "
            f"{list(estimator.domains_)}; got {names}."
        )
    views = {d: _View.of(estimator, part) for d, part in present.items()}
    counts = dict(zip(*np.unique(labels, return_counts=True), strict=True))
    seen = [Seen(estimator.domains_[d], int(counts[d]), v.lost) for d, v in views.items()]
    pairs, moves = list(permutations(views, 2)), []
    for i, (d, e) in enumerate(pairs):
        progress(i / len(pairs), "moved images")
        moves.append(_move(estimator, views, d, e, rng))
    return ImageTrust(tuple(seen), tuple(moves), tuple(estimator.notes_))


@dataclass(frozen=True)
class _View:
    """Images of a domain, their codes, and their reconstructions."""

    images: _Images
    z: Float[np.ndarray, "n m"]
    again: _Images

    @classmethod
    def of(cls, estimator: ImageDomainCounterfactual, images: _Images) -> "_View":
        autoencoder = estimator.model_.autoencoder
        z = autoencoder.read(images)
        return cls(images, z, autoencoder.decode(z))

    @property
    def lost(self) -> float:
        return _share(self.images - self.again, self.images)


def _move(
    estimator: ImageDomainCounterfactual,
    views: Mapping[int, _View],
    d: int,
    e: int,
    rng: np.random.Generator,
) -> ImageMove:
    model, here, there = estimator.model_, views[d], views[e]
    unit = np.sqrt(np.mean([view.z.var(axis=0) for view in views.values()], axis=0)) + 1e-12
    moved = model.codes.move(here.z, d=d, d_prime=e)
    back = model.counterfactual(model.autoencoder.decode(moved), e, d)
    pair = estimator.domains_[d], estimator.domains_[e]
    return ImageMove(
        likeness(pair, moved / unit, here.z / unit, there.z / unit, rng),
        float(np.sqrt(np.square((moved - here.z) / unit).mean())),
        _share(back - here.again, here.again),
    )


def _share(missing: _Images, whole: _Images) -> float:
    """Σ missing² by what varies in the whole; 0 where nothing does and nothing is missing."""
    varies = float(np.square(whole - whole.mean(axis=0)).sum())
    return float(np.square(missing).sum()) / max(varies, 1e-6 * whole[0].size)


def _seen_verdict(seen: tuple[Seen, ...]) -> Judgement:
    worst_seen = max(seen, key=lambda one: one.lost)
    kept = percent(max(0.0, 1 - worst_seen.lost))
    measure = f"Kept of what varies between images of {worst_seen.domain}: {kept}. {_SCALE}"
    level = graded(worst_seen.lost, *_LOST)
    if level == "good":
        return Judgement(level, "Most of what varies between images is seen.", measure)
    return Judgement(
        level,
        f"The model does not see all that varies between images of {worst_seen.domain}, and what "
        "it does not see is lost in every answer.",
        measure,
        "Train for more steps, or give more images.",
    )


def _return_verdict(moves: tuple[ImageMove, ...]) -> Judgement:
    most = max(move.round_trip for move in moves)
    level = graded(most, *_LOST)
    measure = f"Kept on the way there and back: {percent(max(0.0, 1 - most))}. {_SCALE}"
    if level == "good":
        words = "Images moved there and back again are nearly what they were."
        return Judgement(level, words, measure)
    far = sorted((m for m in moves if m.round_trip > _LOST[0]), key=lambda m: -m.round_trip)
    names = listed([f"{m.likeness.source} → {m.likeness.target}" for m in far], 3)
    return Judgement(
        level,
        f"Moved there and back again, images are not what they were ({names}): an answer does not "
        "show all that the image held.",
        measure,
        "Train for more steps, or give some images seen in two domains as pairs.",
    )
