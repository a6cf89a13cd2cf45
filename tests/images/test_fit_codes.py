"""The second stage finds a planted change of domain, and keeps the rest."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import elsewhere.images.fit_codes as fitting
from elsewhere.images.autoencoder import Autoencoder, ImageCodes
from elsewhere.images.code_loss import NONE, NegativeLikelihood
from elsewhere.images.code_models import log_normal
from elsewhere.images.descent import Now
from elsewhere.images.fit_codes import FlowSettings, fit_codes
from elsewhere.images.image_ild import ImageILD
from elsewhere.images.paired_codes import PairedCodes
from elsewhere.theory import intervention_set

pytestmark = pytest.mark.usefixtures("compile_fast")
KEY = jax.random.key(0)
SMALL = FlowSettings(couplings=3, width=16, steps=400, batch=128, rate=5e-3)
SHIFT = np.array([2.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def codes():
    """Three Gaussian numbers; each further domain adds SHIFT to them."""
    rng = np.random.default_rng(0)
    domains = np.repeat(np.arange(3), 600)
    mean = rng.standard_normal((1_800, 3)) @ np.diag([1.0, 0.5, 2.0]) + domains[:, None] * SHIFT
    return ImageCodes(mean.astype(np.float32), np.full((1_800, 3), -6, np.float32)), domains


@pytest.fixture(scope="module")
def can(codes):
    return fit_codes(KEY, *codes, k=1, settings=SMALL)


@pytest.mark.parametrize("target", [1, 2])
def test_it_moves_codes_by_the_planted_shift(can, codes, target):
    z = codes[0].mean[:600]
    moved = can.move(z, d=0, d_prime=target)
    assert np.square(moved - (z + target * SHIFT)).mean() < 0.15
    assert np.allclose(can.move(moved, d=target, d_prime=0), z, atol=1e-2)
    assert np.allclose(can.move(z, d=0, d_prime=0), z, atol=1e-2)


def test_noise_and_codes_are_inverse_with_opposite_log_dets(can, codes):
    z, d = jnp.asarray(codes[0].mean[::100]), jnp.asarray(codes[1][::100])
    eps, log_det = can.noise(z, d)
    back, log_det_back = can.codes(eps, d)
    assert np.allclose(back, z, atol=1e-3)
    assert np.allclose(log_det, -log_det_back, atol=1e-3)


def test_it_is_an_ild_with_k_own_mechanisms(can, codes):
    ild, z = can.ild(["a", "b", "c"]), codes[0].mean[:5]
    assert intervention_set(ild).indices == {2}
    moved = ild.move(jnp.asarray(z), d="a", d_prime="c")
    assert np.allclose(moved, can.move(z, d=0, d_prime=2), atol=1e-4)


@pytest.mark.parametrize("variant", ["dense", "independent"])
def test_the_other_variants_match_the_domains_too(codes, variant):
    model = fit_codes(KEY, *codes, k=None, variant=variant, settings=SMALL)
    z = codes[0].mean[:600]
    moved = model.move(z, d=0, d_prime=1)
    assert np.allclose(moved.mean(axis=0), (z + SHIFT).mean(axis=0), atol=0.35)
    assert np.allclose(model.move(moved, d=1, d_prime=0), z, atol=1e-2)


def test_independent_models_share_a_batch(codes, monkeypatch):
    seen = []
    monkeypatch.setattr(fitting, "descend", lambda *a, **how: seen.append(how) or a[1])
    fit_codes(KEY, *codes, k=None, variant="independent", settings=SMALL)
    assert [(how["steps"], how["batch"]) for how in seen] == [(400, 42)] * 3


def test_the_loss_is_the_likelihood_and_change_weighs(can, codes):
    mean, d = jnp.asarray(codes[0].mean), jnp.asarray(codes[1])
    now = Now(KEY, jnp.ones(()))
    eps, log_det = can.noise(mean, d)
    plain = NegativeLikelihood(NONE, NONE, 0.15, ((0, 1), (1, 2))).of_codes(can, now, mean, d)
    assert plain == pytest.approx(float(-(log_normal(eps) + log_det).mean()), rel=1e-5)
    held = NegativeLikelihood((0.5, 0.5), NONE, 0.15, ((0, 1), (1, 2))).of_codes(can, now, mean, d)
    change = np.square(SHIFT / np.asarray(mean.std(axis=0))).sum()
    assert held - plain == pytest.approx(0.5 * change, rel=0.3)


@pytest.mark.parametrize(("done", "share"), [(0.0, 0), (0.1, 0), (0.225, 0.5), (0.3, 1), (1.0, 1)])
def test_change_weighs_only_once_the_domains_have_parted(can, codes, done, share):
    z, d, now = jnp.asarray(codes[0].mean), jnp.asarray(codes[1]), Now(KEY, jnp.asarray(done))
    plain, held, full = (
        NegativeLikelihood(weight, NONE, 0.15, ((0, 1), (1, 2))).of_codes(can, at, z, d)
        for weight, at in ((NONE, now), ((0.5, 0.5), now), ((0.5, 0.5), Now(KEY, jnp.ones(()))))
    )
    assert held - plain == pytest.approx(share * float(full - plain), abs=1e-4)


def test_without_a_wait_change_weighs_from_the_first_step(can, codes):
    z, d, now = jnp.asarray(codes[0].mean), jnp.asarray(codes[1]), Now(KEY, jnp.zeros(()))
    plain, held, late = (
        NegativeLikelihood(weight, NONE, wait, ((0, 1), (1, 2))).of_codes(can, now, z, d)
        for weight, wait in ((NONE, 0.0), ((0.5, 0.5), 0.0), ((0.5, 0.5), 0.5))
    )
    assert held > plain + 0.1
    assert late == plain


def test_what_is_refused(codes):
    with pytest.raises(ValueError, match="k must be a number"):
        fit_codes(KEY, *codes, k=None)


@pytest.fixture(scope="module")
def turned():
    """The second domain has the first one's numbers in another order: likelihood cannot tell."""
    rng = np.random.default_rng(1)
    first, second = rng.standard_normal((2, 800, 2)).astype(np.float32)
    turn = np.array([[0, 1], [-1, 0]], np.float32)
    codes = np.concatenate([first, second @ turn.T + 3])
    seen = rng.standard_normal((20, 2)).astype(np.float32)
    sharp = np.full((40, 2), -6, np.float32)
    before = ImageCodes(np.concatenate([seen, seen @ turn.T + 3]), sharp)
    after = ImageCodes(np.concatenate([seen @ turn.T + 3, seen]), sharp)
    d = jnp.repeat(jnp.arange(2), 20)
    data = ImageCodes(codes, np.full(codes.shape, -6, np.float32)), np.repeat([0, 1], 800)
    return data, PairedCodes(before, after, d, 1 - d), (first, first @ turn.T + 3)


def test_pairs_tell_what_likelihood_cannot(turned):
    data, pairs, (z, truth) = turned
    small = FlowSettings(couplings=2, width=8, steps=300, batch=128, rate=1e-2)
    moved = fit_codes(KEY, *data, k=2, settings=small, pairs=pairs).move(z, d=0, d_prime=1)
    least_change = np.square(z + 3 - truth).mean()
    assert np.square(moved - truth).mean() < 0.25 * least_change


def test_a_miss_is_the_distance_in_deviations_and_nothing_where_the_answer_is_right(can):
    z, d = np.random.default_rng(0).standard_normal((5, 3)).astype(np.float32), np.zeros(5, int)
    right, sure = can.move(z, d=0, d_prime=2), np.full((5, 3), -30, np.float32)

    @eqx.filter_jit
    def miss(after):
        pairs = PairedCodes(
            ImageCodes(z, sure), ImageCodes(after, sure), jnp.asarray(d), jnp.asarray(d + 2)
        )
        return pairs.miss(KEY, can, jnp.array([1.0, 2.0, 1.0]))

    assert miss(right) == pytest.approx(0, abs=1e-6)
    assert miss(right + np.array([1, 2, 0], np.float32)) == pytest.approx(2, rel=1e-3)


def test_independent_models_take_no_pairs(codes, turned):
    with pytest.raises(ValueError, match="pairs must be None for variant 'independent'"):
        fit_codes(KEY, *codes, k=None, variant="independent", pairs=turned[1])


@pytest.mark.parametrize("wait", [-0.1, 0.6, float("nan")])
def test_a_wait_is_a_share(wait):
    with pytest.raises(ValueError, match=r"wait must be a share of the steps, in 0\.\.0\.5; got"):
        FlowSettings(wait=wait)


WRONG_WEIGHTS = (1.0, -1.0), (-1.0, 1.0), (np.nan, 1.0), (1.0, np.nan), (1.0, np.inf)


@pytest.mark.parametrize("name", ["change", "volume", "distances", "matching", "paired"])
@pytest.mark.parametrize("weight", WRONG_WEIGHTS)
def test_weights_are_finite_and_not_negative(name, weight):
    with pytest.raises(ValueError, match=f"{name} must be two finite weights of at least 0"):
        FlowSettings(**{name: weight})


@pytest.mark.parametrize("colours", [0, 1])
def test_images_move_through_their_codes(can, colours):
    autoencoder = Autoencoder(KEY, (8, 8, 1), 3, colours=colours)
    model = ImageILD(autoencoder, can)
    x = np.random.default_rng(0).integers(0, 255, (4, 8, 8, 1)).astype(np.uint8)
    z = autoencoder.invert(x) if colours else autoencoder.encode(x).mean
    assert np.allclose(model.reconstruct(x), autoencoder.decode(z))
    assert np.allclose(
        model.counterfactual(x, 0, 2), autoencoder.decode(can.move(z, d=0, d_prime=2))
    )
    share = np.array([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]])
    kept, floats = ImageILD(autoencoder, can, share), x / np.float32(255)
    assert np.allclose(kept.counterfactual(x, 0, 2), model.counterfactual(x, 0, 2))
    assert np.allclose(kept.counterfactual(x, 0, 0), floats, atol=1e-2)
    missing = floats - model.reconstruct(x)
    carried = np.clip(model.counterfactual(x, 0, 1) + 0.5 * missing, 0, 1)
    assert np.allclose(kept.counterfactual(x, 0, 1), carried, atol=1e-6)
