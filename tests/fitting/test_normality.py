"""Normal rows look normal; rows behind a kink do not, wherever it is."""

import numpy as np
import pytest

from elsewhere.fitting.normality import departures, look_normal

pytestmark = pytest.mark.fast


def tables(seed, rows, m=4, *, leaky=False, centre=0.0):
    rng = np.random.default_rng(seed)
    mixing, place = rng.standard_normal((m, m)), centre * rng.standard_normal(m)
    latents = {d: (1 + d) * rng.standard_normal((rows, m)) + place for d in range(2)}
    bent = {d: np.where(z < 0, 0.5 * z, z) if leaky else z for d, z in latents.items()}
    return {d: z @ mixing.T for d, z in bent.items()}


def test_normal_rows_look_normal():
    found = [look_normal(tables(seed, 600)) for seed in range(40)]
    assert sum(found) >= 38


@pytest.mark.parametrize("centre", [0.0, 1.0, 2.0])
def test_rows_behind_a_kink_do_not(centre):
    assert not any(look_normal(tables(seed, 600, leaky=True, centre=centre)) for seed in range(10))


def test_heavy_tails_are_not_normal():
    rng = np.random.default_rng(0)
    assert departures({d: rng.standard_t(5, (1000, 3)) for d in "ab"})[1] > 10


def test_few_rows_tell_nothing():
    assert not look_normal(tables(0, 400))
