"""Training a classifier: Adam on the cross-entropy of filtered images, compiled in chunks."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray, PyTree, Shaped

from elsewhere.datasets.pictures.checks import checked_codes
from elsewhere.draws import generator
from elsewhere.images.classifiers import Classifier, NetworkName
from elsewhere.images.filters import PAPER_FILTERS, Filters, random_filters

Progress = Callable[[int, int, float], None]
CHUNK = 20  # steps compiled as one, between two reports
_ADAM = optax.scale_by_adam()


class TrainingError(ValueError):
    """A training that did not end in a classifier."""


class Feed(NamedTuple):
    """What each of the steps of a chunk needs: which images, how to filter them, how far to go."""

    rows: Int[Array, "steps batch"]
    keys: Key[Array, " steps"]
    rates: Float[Array, " steps"]


def train_classifier(
    key: PRNGKeyArray,
    images: Shaped[np.ndarray, "n h w c"],
    labels: Int[np.ndarray, " labels"],
    num_classes: int,
    *,
    network: NetworkName = "small",
    steps: int = 1_500,
    batch: int = 128,
    rate: float = 1e-3,
    filters: Filters = PAPER_FILTERS,
    progress: Progress | None = None,
) -> Classifier:
    """max Σ log p(label | filtered image): the same key gives the same classifier.

    The paper trains 25 epochs, that is 25 n / batch steps, of a ResNet-18 that had seen ImageNet,
    at a rate of 0.001. Here weights start at random, and the rate falls to 0 along a cosine.

    Args:
        key: the first weights, the batches and the filters.
        images: uint8, or floats in 0..1.
        labels: classes or domains, counted from 0.
        num_classes: how many there are.
        network: "small" or "resnet18".
        steps: how many batches; rounded up to a multiple of 20.
        batch: images in each.
        rate: the learning rate at the start.
        filters: how training images are blurred and sharpened.
        progress: called with (steps done, steps in all, mean loss of the last 20).
    """
    checked_codes("labels", labels, tuple(map(str, range(num_classes))), len(images))
    if min(steps, batch) < 1 or not rate > 0:
        raise ValueError(f"steps, batch and rate must be positive; got {steps}, {batch}, {rate}.")
    first_key, feed_key = jax.random.split(key)
    classifier = Classifier(first_key, network, images.shape[1:], num_classes)
    moments = _ADAM.init(eqx.filter(classifier, eqx.is_inexact_array))
    x, y, total = jnp.asarray(images), jnp.asarray(labels), -(-steps // CHUNK) * CHUNK
    for chunk, feed in enumerate(_feeds(feed_key, len(images), total, batch, rate), 1):
        classifier, moments, loss = _run(classifier, moments, x, y, feed, filters)
        _report(chunk * CHUNK, total, float(loss), progress)
    return classifier


def _feeds(key: PRNGKeyArray, n: int, total: int, batch: int, rate: float) -> Iterator[Feed]:
    rows_key, filter_key = jax.random.split(key)
    rows = _batches(generator(rows_key), n, total, min(batch, n))
    keys = jax.random.split(filter_key, total)
    rates = rate * 0.5 * (1 + np.cos(np.pi * np.arange(total) / total))
    for start in range(0, total, CHUNK):
        part = slice(start, start + CHUNK)
        yield Feed(jnp.asarray(rows[part]), keys[part], jnp.asarray(rates[part], jnp.float32))


def _batches(
    rng: np.random.Generator, n: int, steps: int, batch: int
) -> Int[np.ndarray, "steps batch"]:
    """Rows in random order, all of them before any comes again."""
    epochs = -(-steps * batch // n)
    rows = np.concatenate([rng.permutation(n) for _ in range(epochs)])
    return rows[: steps * batch].reshape(steps, batch)


def _report(step: int, total: int, loss: float, progress: Progress | None) -> None:
    if not np.isfinite(loss):
        raise TrainingError(
            f"the loss must stay finite; it is {loss} after {step} steps. Lower the rate."
        )
    if progress is not None:
        progress(step, total, loss)


@eqx.filter_jit
def _run(
    classifier: Classifier,
    moments: PyTree,
    images: Shaped[Array, "n h w c"],
    labels: Int[Array, " n"],
    feed: Feed,
    filters: Filters,
) -> tuple[Classifier, PyTree, Float[Array, ""]]:
    """(classifier, moments, mean loss) after the steps of one chunk."""
    moving, still = eqx.partition(classifier, eqx.is_inexact_array)

    def step(carry: tuple[PyTree, PyTree], now: Feed) -> tuple[tuple[PyTree, PyTree], Array]:
        moving, moments = carry
        x = random_filters(now.keys, _floats(images[now.rows]), filters)
        loss, slope = jax.value_and_grad(_loss)(moving, still, x, labels[now.rows])
        updates, moments = _ADAM.update(slope, moments, moving)
        moving = jax.tree.map(lambda p, u: p - now.rates.astype(p.dtype) * u, moving, updates)
        return (moving, moments), loss

    (moving, moments), losses = jax.lax.scan(step, (moving, moments), feed)
    return eqx.combine(moving, still), moments, losses.mean()


def _loss(moving: PyTree, still: PyTree, x: Array, y: Array) -> Float[Array, ""]:
    """−mean log p(y | x)."""
    classifier: Classifier = eqx.combine(moving, still)
    return -jnp.take_along_axis(classifier.log_probs(x), y[:, None], axis=1).mean()


def _floats(images: Shaped[Array, "n h w c"]) -> Float[Array, "n h w c"]:
    scale = 255 if images.dtype == jnp.uint8 else 1
    return images.astype(jnp.float32) / scale
