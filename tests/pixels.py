"""Images whose model is known: two pixels are the code, and a domain brightens the first."""

from types import SimpleNamespace

import numpy as np

from elsewhere import ImageDomainCounterfactual

SIDE, STEP, NAMES = 8, 0.4, ("dim", "bright")


def paint(z):
    """[n, 8, 8, 1] with the code in the first two pixels."""
    images = np.zeros((len(z), SIDE, SIDE, 1), np.float32)
    images[:, 0, :2, 0] = z
    return images


def draws(n=150, seed=0):
    """(images, domains): bright ones have 0.4 more in the first pixel."""
    z = np.random.default_rng(seed).uniform(0.1, 0.5, (2 * n, 2))
    domains = np.repeat([0, 1], n)
    z[:, 0] += STEP * domains
    return paint(z), np.array(NAMES)[domains]


def shift(z, *, d, d_prime):
    """The true move."""
    return z + np.array([STEP * (d_prime - d), 0], np.float32)


def known(move=shift, decode=paint, notes=()):
    """An estimator that reads the two pixels, and moves and draws them as told."""
    autoencoder = SimpleNamespace(
        m=2, shape=(SIDE, SIDE, 1), read=lambda x: np.asarray(x[:, 0, :2, 0]), decode=decode
    )

    def counterfactual(images, source, target):
        return decode(move(autoencoder.read(images), d=source, d_prime=target))

    estimator = ImageDomainCounterfactual(m=2)
    estimator.model_ = SimpleNamespace(
        autoencoder=autoencoder,
        codes=SimpleNamespace(move=move),
        counterfactual=counterfactual,
        reconstruct=lambda images: decode(autoencoder.read(images)),
    )
    estimator.domains_, estimator.notes_ = NAMES, notes
    return estimator
