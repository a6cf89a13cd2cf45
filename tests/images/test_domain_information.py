"""A model that ignores the domains is told from one that does not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flowjax.bijections import Identity

from elsewhere.images.batches import in_float32
from elsewhere.images.code_models import OwnMixings, SharedMixing
from elsewhere.images.domain_information import ignoring_note, information, linear_information
from elsewhere.scm import TailSCM

pytestmark = pytest.mark.usefixtures("compile_fast")
DOMAINS = np.repeat([0, 1], 300)


class Shifts(TailSCM):
    """z_2 = ε_2 + shift · d, as a closed form to compare with."""

    shift: float

    def __init__(self, shift):
        super().__init__(jax.random.key(0), 2, 1, 2, 4)
        self.shift = shift

    def _affine(self, head):
        return jnp.asarray([self.shift * self.domain]), jnp.zeros(1)


def model(shift):
    return SharedMixing(Identity((2,)), in_float32(Shifts(shift)))


def codes(shift):
    z = np.random.default_rng(0).standard_normal((600, 2)).astype(np.float32)
    z[:, 1] += shift * DOMAINS
    return z


@pytest.mark.parametrize("shift", [-3.0, 0.0, 1.0, 8.0])
def test_nats_are_those_of_two_gaussians(shift):
    z = codes(shift)
    ratio = shift * (z[:, 1] - shift / 2) * np.where(DOMAINS == 1, 1, -1)  # log p_d / p_e
    expected = np.log(2) - np.log1p(np.exp(-ratio)).mean()
    assert information(model(shift), z, DOMAINS) == pytest.approx(expected, abs=1e-4)
    assert linear_information(z, DOMAINS) == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("learnt", "true", "words"), [(0, 3, 1), (3, 3, 0), (0, 0, 0), (0, 0.3, 0)]
)
def test_it_is_said_when_domains_are_ignored(learnt, true, words):
    notes = ignoring_note(model(float(learnt)), codes(true), DOMAINS)
    assert len(notes) == words
    assert all("ignore the domains" in note and "FlowSettings" in note for note in notes)


def test_mixings_of_their_own_cannot_ignore_them():
    own = OwnMixings((Identity((2,)), Identity((2,))))
    assert ignoring_note(own, codes(3), DOMAINS) == ()
