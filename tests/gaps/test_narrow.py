"""Moments of narrow tables with gaps."""

import numpy as np

from elsewhere.gaps.narrow import narrow_covariances
from elsewhere.gaps.observed import Observed


def test_a_column_that_is_hardly_ever_seen_makes_no_correlations_of_its_own():
    """Few entries among 2,000 rows: what they show is drawn to what all domains share."""
    rng, apart, drawn = np.random.default_rng(0), [], []
    for _ in range(5):
        tables = []
        for r in (0.2, 0.5, 0.8):
            x = rng.standard_normal((2_000, 5)) @ np.linalg.cholesky(r + (1 - r) * np.eye(5)).T
            x[:, 4] = rng.standard_normal(2_000)
            x[20:, 4] = np.nan
            tables.append(x)
        _, matrices = narrow_covariances(tables, Observed(tables))
        unit = np.sqrt(np.diagonal(matrices, axis1=1, axis2=2))
        drawn.append(np.ptp((matrices / (unit[:, :, None] * unit[:, None, :]))[:, 4, :4], axis=0))
        apart.append(np.ptp([np.corrcoef(x[:20].T)[4, :4] for x in tables], axis=0))
    assert np.mean(drawn) < 0.6 * np.mean(apart)
