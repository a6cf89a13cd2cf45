"""Maps by moments with given or drawn parts."""

import numpy as np

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.contrasts import contrasts
from elsewhere.fitting.moments.effects import Effects


def effects(rng, counts, *shape, symmetric=False):
    compared = contrasts(np.asarray(counts, float))
    b = 0.4 * rng.standard_normal((len(compared.weights), *shape))
    b = (b + np.swapaxes(b, -1, -2)) / 2 if symmetric else b
    variances = np.abs(b) / 10 + 0.01
    return Effects(compared.back(b), variances, compared.weights, 0.001)


def random_map(p, r, num_domains, seed, carried=1.0):
    """Every part drawn; u has unit variances along the codes' complement."""
    rng = np.random.default_rng(seed)
    r, counts = min(r, p), rng.integers(5, 50, num_domains)
    return AffineMap(
        domains=tuple("abcdefgh"[:num_domains]),
        centre=3 * rng.standard_normal(p),
        unit=np.exp(rng.standard_normal(p)),
        offsets=effects(rng, counts, p),
        scales=effects(rng, counts, p),
        codes=np.linalg.qr(rng.standard_normal((p, p)))[0][:, :r],
        turns=effects(rng, counts, r, r, symmetric=True),
        carried=carried,
        code_variances=rng.uniform(0.5, 4, r),
        reliability=rng.uniform(0.5, 1, r),
        own=rng.uniform(0.2, 1, p),
    )
