"""D1: from mechanisms to one global function, and back."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.models import compiled, gap, random_scm

from elsewhere.errors import AssumptionError
from elsewhere.scm import Mechanism, MechanismSCM, mechanisms_of, monotone_inverse

NO_PARENTS = jnp.zeros(0)
# The second falls in its own noise: monotone is enough, increasing is not required.
WRITTEN = (
    Mechanism(lambda e, z: jnp.sinh(e), lambda v, z: jnp.arcsinh(v)),
    Mechanism(lambda e, z: z[0] ** 2 - 2 * e, lambda v, z: (z[0] ** 2 - v) / 2),
)


@pytest.fixture(scope="module")
def written():
    return MechanismSCM(WRITTEN)


def jacobian_checks(scm, eps):
    """The compiled contract of one SCM."""

    @compiled
    def study(eps):
        z, log_det = scm.transform_and_log_det(eps)
        back, back_log_det = scm.inverse_and_log_det(z)
        return z, log_det, back, back_log_det, jax.jacfwd(scm.transform)(eps)

    z, log_det, back, back_log_det, jacobian = jax.device_get(study(eps))
    assert gap(back, np.asarray(eps)) < 1e-9
    assert gap(log_det, np.linalg.slogdet(jacobian)[1]) < 1e-9
    assert gap(back_log_det, -log_det) < 1e-9
    assert (np.triu(jacobian, 1) == 0).all()
    return z


def test_global_function_of_written_mechanisms(written):
    z = jacobian_checks(written, jnp.array([0.7, -1.2]))
    np.testing.assert_allclose(z, [np.sinh(0.7), np.sinh(0.7) ** 2 + 2.4])


def test_inverse_left_out_is_found_by_bisection():
    found = MechanismSCM([mechanism.forward for mechanism in WRITTEN])
    jacobian_checks(found, jnp.array([0.7, -1.2]))


def test_mechanisms_of_a_written_scm_are_the_written_ones(written):
    value, parents = jnp.array(0.6), jnp.array([-1.5])
    for j, (got, wanted) in enumerate(zip(mechanisms_of(written), WRITTEN, strict=True)):
        given = parents[:j]
        np.testing.assert_allclose(got.forward(value, given), wanted.forward(value, given))
        np.testing.assert_allclose(got.inverse(value, given), wanted.inverse(value, given))


@pytest.mark.parametrize("kind", ["linear", "autoregressive"])
def test_global_function_of_the_mechanisms_is_the_scm(kind):
    rng = np.random.default_rng(0)
    scm = random_scm(rng, kind, 2, 0.5)
    again, eps = MechanismSCM(mechanisms_of(scm)), jnp.asarray(rng.standard_normal(2))
    z = jacobian_checks(again, eps)
    np.testing.assert_allclose(z, compiled(scm.transform)(eps), atol=1e-12)


def test_a_mechanism_reads_only_its_parents(written):
    forward = mechanisms_of(written)[1].forward
    slope = jax.grad(lambda z: forward(jnp.array(0.3), z))(jnp.array([1.5]))
    assert slope == pytest.approx(3.0)


@pytest.mark.parametrize(
    "bad", [lambda e, z: e**2, lambda e, z: 0 * e, lambda e, z: jnp.sin(2 * e), lambda e, z: e / 0]
)
def test_a_mechanism_without_an_inverse_is_refused(bad):
    with pytest.raises(AssumptionError, match="mechanism 1 .* monotone"):
        MechanismSCM([lambda e, z: e, bad])


def test_monotone_for_some_parents_only_is_refused():
    with pytest.raises(AssumptionError, match="mechanism 1"):
        MechanismSCM([lambda e, z: e, lambda e, z: e**3 * jnp.sign(z[0]) + z[0] * e**2])


def test_can_be_built_while_tracing():
    scm = random_scm(np.random.default_rng(0), "linear", 2, 0.5)

    @jax.jit
    def rebuilt(eps):
        return MechanismSCM(mechanisms_of(scm)).transform(eps)

    eps = jnp.array([1.0, -1.0])
    np.testing.assert_allclose(rebuilt(eps), scm.transform(eps), atol=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_monotone_inverse_value_and_slopes(sign, shift):
    """y = ±((x − shift)³ + x − shift) + a² has slope ±(3u² + 1) in x and 2a in a."""
    inverse = monotone_inverse(lambda x, a: sign * ((x - shift) ** 3 + x - shift) + a[0] ** 2)
    y, a, u = jnp.array(sign * 10.0 + 9.0), jnp.array([3.0]), 2.0

    @compiled
    def study(y, a):
        return (
            inverse(y, a),
            *jax.grad(inverse, (0, 1))(y, a),
            jax.jvp(lambda y: inverse(y, a), (y,), (jnp.ones_like(y),))[1],
        )

    x, by_y, by_a, forward_mode = study(y, a)
    assert x - shift == pytest.approx(u, rel=1e-10)
    assert by_y == pytest.approx(sign / (3 * u**2 + 1), rel=1e-9)
    assert forward_mode == pytest.approx(float(by_y))
    assert by_a[0] == pytest.approx(-6.0 * sign / (3 * u**2 + 1), rel=1e-9)


def test_monotone_inverse_finds_a_step_far_from_zero():
    """The function is flat in floating point around 0: the bracket must look further."""
    inverse = jax.jit(monotone_inverse(lambda x, _: jnp.tanh(x - 50.0)))
    assert inverse(jnp.array(0.5), NO_PARENTS) == pytest.approx(50 + np.arctanh(0.5))
