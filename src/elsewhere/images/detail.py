"""Detail: what a decoder cannot draw, x − decode(z), and how much of it an answer should keep.

Where domains differ in colour or contrast, an edge that the decoder blurs belongs where it was;
where they differ by a turn, it does not. No image is seen in two domains, but codes tell in part
what is missing: if what they tell of the moved image is where it was before, so is the rest.
"""

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float, Int, Shaped
from scipy.spatial.distance import cdist

from elsewhere.datasets.pictures.image_data import as_floats

Flat = Float[np.ndarray, "n p"]
Latents = Float[np.ndarray, "n m"]
ROWS, FEW = 1_000, 100  # images of a domain that are looked at, at most; fewer tell nothing
LEAST_SHARE = 0.5  # a smaller share is not carried: it is as good as none, and may be noise
_RIDGE = 0.1


@runtime_checkable
class ImageCoder(Protocol):
    """Reads codes off images, and draws them."""

    def read(self, images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n m"]:
        """z of every image."""
        ...

    def decode(self, z: Float[np.ndarray, "n m"]) -> Float[np.ndarray, "n h w c"]:
        """The images of codes, in 0..1."""
        ...


@runtime_checkable
class CodeMover(Protocol):
    """Moves codes between domains, which are counted from 0."""

    @property
    def domains(self) -> tuple[int, ...]:
        """The domains' positions."""
        ...

    def move(self, x: Latents, *, d: int, d_prime: int) -> Latents:
        """z_{d→d'} of every code."""
        ...


def detail_shares(
    autoencoder: ImageCoder,
    codes: CodeMover,
    images: Shaped[np.ndarray, "n h w c"],
    domains: Int[np.ndarray, " n"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "D D"] | None:
    """a_{dd'} = E⟨r̂_d'(z_{d→d'}), r⟩ / E⟨r̂_d(z), r⟩, r = x − decode(z) and r̂_d(z) = E_d[r | z].

    That is the least-squares share of r in r', as far as codes tell of both; cut to 0..1, and 0
    where it is below ½ or within two standard errors of 0. None where nothing is carried.

    Args:
        autoencoder: reads and draws.
        codes: moves codes between domains.
        images: uint8, or floats in 0..1.
        domains: the domain of each, counted from 0.
        rng: which images are looked at.
    """
    count = len(codes.domains)
    rows = [rng.permutation(np.flatnonzero(domains == d))[:ROWS] for d in range(count)]
    shares = np.eye(count)
    if min(map(len, rows)) < FEW:
        return None
    seen = [_missing(autoencoder, images[some]) for some in rows]
    unit = np.concatenate([z for z, _ in seen]).std(axis=0) + 1e-6
    half = min(map(len, rows)) // 2  # by as many images everywhere: more tell more
    for d, (z, missing) in enumerate(seen):
        asked, left = z[half : 2 * half], missing[half : 2 * half]
        told = {}
        for e, (there, other) in enumerate(seen):
            moved = asked if e == d else codes.move(asked, d=d, d_prime=e)
            told[e] = _told(there[:half] / unit, other[:half], moved / unit, left)
        for e in set(told) - {d}:
            shares[d, e] = _share(told[e], told[d])
    return shares if shares.sum() > count else None


def _missing(
    autoencoder: ImageCoder, images: Shaped[np.ndarray, "n h w c"]
) -> tuple[Latents, Flat]:
    z = autoencoder.read(images)
    return z, (as_floats(images) - autoencoder.decode(z)).reshape(len(z), -1)


def _told(
    z: Float[np.ndarray, "r m"], missing: Float[np.ndarray, "r p"], asked: Latents, left: Flat
) -> Float[np.ndarray, " n"]:
    """⟨r̂(z_i), r_i⟩ of every image asked about, r̂ by kernel ridge regression on other images."""
    width = np.median(cdist(z, z, "sqeuclidean")) + 1e-12
    kernel = np.exp(-cdist(z, z, "sqeuclidean") / width) + _RIDGE * np.eye(len(z))
    found = np.exp(-cdist(asked, z, "sqeuclidean") / width) @ np.linalg.solve(kernel, missing)
    return (found * left).sum(axis=1)


def _share(other: Float[np.ndarray, " n"], own: Float[np.ndarray, " n"]) -> float:
    """Σ other / Σ own in 0..1, or 0 where that is small or uncertain."""
    if own.sum() <= 2 * own.std() * np.sqrt(len(own)):
        return 0.0  # codes tell nothing of what is missing
    share = other.sum() / own.sum()
    error = np.sqrt(np.square(other - share * own).sum()) / own.sum()
    return float(min(share, 1.0)) if share > max(LEAST_SHARE, 2 * error) else 0.0
