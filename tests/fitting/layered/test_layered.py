"""Two leaky layers: the objective, the search, and a world that one layer cannot explain."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import Chain

from elsewhere.bijections import LeakyReLU
from elsewhere.fitting import Auto, FitError, Options, Pairs, Profile, fit
from elsewhere.fitting.kinds import OWN
from elsewhere.fitting.layered import Layered
from elsewhere.fitting.layered.fit import MOST_COLUMNS
from elsewhere.fitting.layered.objective import Layers, as_point, climb, two_layer_profile
from elsewhere.fitting.profile.axes.climb import one_hot
from elsewhere.fitting.profile.axes.profile import weighted
from elsewhere.fitting.profile.kink import kink_at, kink_of
from elsewhere.fitting.profile.rows import rows_of
from elsewhere.fitting.split import Named

QUICK = Options(starts=8, steps=10, rounds=0, parents=2, polish_steps=4, classes=2)
M, SLOPES = 3, (0.3, 0.5)


def leaky(z, slope):
    return np.where(z > 0, z, slope * z)


def layered_world(n=2_000):
    """x = A₂ leaky(A₁ leaky(z)), in which the third mechanism of three is each domain's own."""
    rng = np.random.default_rng(5)
    first, second = (np.linalg.qr(rng.normal(size=(M, M)))[0] for _ in range(2))
    effects = [(1.0, -0.5, 1.0), (-1.0, 1.0, -0.5)]

    def made(eps, d):
        a, b, c = effects[d]
        z = eps.copy()
        z[:, 1] += 0.8 * z[:, 0]
        z[:, 2] += a * z[:, 0] + b * z[:, 1] + c
        return leaky(leaky(z, SLOPES[1]) @ first.T, SLOPES[0]) @ second.T

    noise = rng.normal(size=(2, n, M))
    tables: Named = {d: made(noise[d], d) for d in (0, 1)}
    return tables, made(noise[0], 1)


def error(result, tables, truth):
    return ((np.asarray(result.model.move(tables[0], d=0, d_prime=1)) - truth) ** 2).mean()


@pytest.fixture(scope="module")
def fitted():
    tables, truth = layered_world()
    engines = (Layered(options=QUICK), Profile("leaky", options=QUICK))
    return tables, truth, *(fit(jax.random.key(0), tables, k=1, engine=e) for e in engines)


@pytest.mark.usefixtures("compile_fast")
class TestTwoLayers:
    def test_are_found_where_one_layer_does_not_explain_the_rows(self, fitted):
        tables, truth, two, one = fitted
        assert error(two, tables, truth) < 0.1 * error(one, tables, truth)
        assert two.log_likelihood > one.log_likelihood + 0.05

    def test_have_the_slopes_that_suit(self, fitted):
        mixing = fitted[2].model.mixing
        assert isinstance(mixing, Chain)
        slopes = [layer.slope for layer in mixing.bijections if isinstance(layer, LeakyReLU)]
        assert slopes == pytest.approx(SLOPES[::-1], abs=0.1)

    def test_are_taken_by_the_ladder(self, fitted):
        tables, truth, _, one = fitted
        result = fit(jax.random.key(1), tables, k="auto", engine=Auto(options=QUICK))
        used = [e.words for e in result.explanations if e.used]
        assert used == ["1 of 3 mechanisms differ, with a mixing of two leaky layers"]
        assert isinstance(result.engine, Layered)
        assert error(result, tables, truth) < 0.1 * error(one, tables, truth)

    def test_are_not_tried_where_pairs_will_refine_the_answer(self, fitted):
        tables, truth, _, _ = fitted
        pairs = Pairs(0, 1, tables[0][:20], truth[:20])
        result = fit(jax.random.key(1), tables, k="auto", engine=Auto(options=QUICK), pairs=[pairs])
        assert not isinstance(result.engine, Layered)

    def test_the_objective_is_the_likelihood_of_the_model(self, fitted):
        """Whose rows are whitened already, and whose mechanisms are all each domain's own."""
        tables, _, _, _ = fitted
        rng, rows = np.random.default_rng(0), [tables[d] for d in (0, 1)]
        outer, inner = rng.normal(size=(2, M, M + 1))
        u = [x @ outer[:, :-1].T + outer[:, -1] for x in rows]
        h = [np.where(v > 0, v, v / 0.4) for v in u]
        v = [x @ inner[:, :-1].T + inner[:, -1] for x in h]
        z = [np.where(w > 0, w, w / 0.7) for w in v]
        constant = sum(np.linalg.slogdet(axes[:, :-1])[1] for axes in (outer, inner))
        terms = [
            (a < 0).sum(axis=1).mean() * -np.log(0.4)
            + (b < 0).sum(axis=1).mean() * -np.log(0.7)
            - 0.5 * np.linalg.slogdet(np.cov(c, rowvar=False, bias=True))[1]
            for a, b, c in zip(u, v, z, strict=True)
        ]
        point = as_point(Layers(outer, inner, (0.4, 0.7)))
        kinds = jnp.asarray(one_hot(np.full(M, OWN)))
        packed = weighted(rows_of(rows))
        value = float(two_layer_profile(jnp.asarray(point, jnp.float32), packed, kinds, None))
        assert value == pytest.approx(constant + np.mean(terms), abs=1e-3)


def test_a_climb_does_not_lose():
    tables, _ = layered_world(500)
    packed = weighted(rows_of([tables[d] for d in (0, 1)]))
    outer, inner = np.random.default_rng(2).normal(size=(2, M, M + 1))
    start, low = climb(Layers(outer, inner, (0.5, 0.5)), packed)
    again, high = climb(start, packed)
    assert high >= low - 1e-2
    assert all(0.05 <= slope <= 0.95 for slope in again.slopes)


@pytest.mark.parametrize("slope", [0.05, 0.5, 0.95, 2.0])
def test_a_kink_is_the_same_by_jax(slope):
    np.testing.assert_allclose(kink_at(jnp.asarray(slope), jnp), kink_of(slope), rtol=1e-4)


def test_many_columns_are_refused():
    x = np.random.default_rng(0).normal(size=(2, 60, MOST_COLUMNS + 1))
    with pytest.raises(FitError, match=f"at most {MOST_COLUMNS} columns; got {MOST_COLUMNS + 1}"):
        fit(jax.random.key(0), x, k=1, engine=Layered())
