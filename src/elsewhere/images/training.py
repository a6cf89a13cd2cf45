"""Training a classifier: the cross-entropy of filtered images falls."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray, Shaped

from elsewhere.datasets.pictures.checks import checked_codes
from elsewhere.images.batches import floats
from elsewhere.images.classifiers import Classifier, NetworkName
from elsewhere.images.descent import Now, StepProgress, descend
from elsewhere.images.filters import PAPER_FILTERS, Filters, random_filters
from elsewhere.images.optimisers import OPTIMISERS

# Optimiser and rate. Muon takes fewest steps with small networks; Adam at 0.001 is the paper's.
PACES: dict[NetworkName, tuple[str, float]] = {"small": ("muon", 4e-3), "resnet18": ("adam", 1e-3)}


def train_classifier(
    key: PRNGKeyArray,
    images: Shaped[np.ndarray, "n h w c"],
    labels: Int[np.ndarray, " labels"],
    num_classes: int,
    *,
    network: NetworkName = "small",
    steps: int = 1_000,
    batch: int = 128,
    rate: float | None = None,
    filters: Filters = PAPER_FILTERS,
    progress: StepProgress | None = None,
) -> Classifier:
    """max Σ log p(label | filtered image): the same key gives the same classifier.

    The paper trains 25 epochs, that is 25 n / batch steps, of a ResNet-18 that had seen ImageNet,
    by Adam at a rate of 0.001. Here weights start at random, Muon moves those of the small network,
    and the rate falls to 0 along a cosine.

    Args:
        key: the first weights, the batches and the filters.
        images: uint8, or floats in 0..1.
        labels: classes or domains, counted from 0.
        num_classes: how many there are.
        network: "small" or "resnet18".
        steps: how many batches; rounded up to a multiple of 20.
        batch: images in each.
        rate: the learning rate at the start; None for the network's own, 0.004 or 0.001.
        filters: how training images are blurred and sharpened.
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    checked_codes("labels", labels, tuple(map(str, range(num_classes))), len(images))
    first_key, descent_key = jax.random.split(key)
    classifier = Classifier(first_key, network, images.shape[1:], num_classes)
    data = jnp.asarray(images), jnp.asarray(labels)
    optimiser, usual = PACES[network]
    pace = {"steps": steps, "batch": batch, "rate": usual if rate is None else rate}
    how = {"optimiser": OPTIMISERS[optimiser], "progress": progress}
    return descend(descent_key, classifier, CrossEntropy(filters), data, **pace, **how)


@dataclass(frozen=True)
class CrossEntropy:
    """−mean log p(y | x) of filtered images."""

    filters: Filters

    def __call__(
        self,
        model: Classifier,
        now: Now,
        x: Shaped[Array, "n h w c"],
        y: Int[Array, " n"],
    ) -> Float[Array, ""]:
        """The loss of a batch."""
        log_probs = model.log_probs(random_filters(now.key, floats(x), self.filters))
        return -jnp.take_along_axis(log_probs, y[:, None], axis=1).mean()
