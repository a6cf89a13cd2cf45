"""The paper's one-stage recipe: its rows, its two readings, and what it answers."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere.images import paper_recipe
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.descent import Now
from elsewhere.images.metrics import ImageModel
from elsewhere.images.paper_networks import PaperNetworks, Triangular
from elsewhere.images.paper_recipe import PaperLoss, check_choices, train_paper_recipe

pytestmark = pytest.mark.usefixtures("compile_fast")
SIDE, M = 8, 3
FEW = {"steps": 20, "batch": 16}


@pytest.fixture(scope="module")
def pictures():
    """Domain 1 is domain 0 upside down."""
    rng = np.random.default_rng(0)
    images = np.zeros((40, SIDE, SIDE, 1), np.uint8)
    images[:20, :4], images[20:, 4:] = rng.integers(0, 256, (2, 20, 4, SIDE, 1))
    return images, np.repeat([0, 1], 20)


@pytest.fixture
def rows():
    return Triangular(jax.random.key(0), M, 1, 2, 1.0)


def test_rows_are_lower_triangular_and_only_the_last_k_differ(rows):
    def jacobian(d):
        return jax.jacobian(lambda x: rows(x[None], jnp.array([d]))[0])(jnp.ones(M))

    first, second = np.asarray(jacobian(0)), np.asarray(jacobian(1))
    assert (first[np.triu_indices(M, 1)] == 0).all()
    np.testing.assert_array_equal(first[:-1], second[:-1])
    assert (first[-1] != second[-1]).all()


def test_a_step_of_adam_moves_f_ten_times_as_far(rows):
    """A stored weight that moves by h moves the entry it stands for by 10 h."""
    x, d, h = jnp.eye(M)[:1], jnp.array([0]), 1e-3
    nudged = eqx.tree_at(lambda r: r.weights, rows, rows.weights.at[0, 0, 0].add(h))
    assert float((nudged(x, d) - rows(x, d))[0, 0]) == pytest.approx(10 * h)


@pytest.fixture(scope="module")
def networks():
    ends = Autoencoder(jax.random.key(0), (SIDE, SIDE, 1), M)
    return PaperNetworks(jax.random.key(1), ends, 1, 2)


def test_the_readings_differ_only_in_the_noise(networks, pictures):
    """With s = f⁺_{d,σ} = 0, the program draws no noise, and print draws N(0, 1)."""
    images, domains = (jnp.asarray(part) for part in pictures)
    silent = eqx.tree_at(lambda n: n.spread.weights, networks, 0 * networks.spread.weights)
    losses = [
        [
            float(PaperLoss(beta, reading)(silent, Now(key, jnp.array(0.0)), images, domains))
            for key in jax.random.split(jax.random.key(0))
        ]
        for reading in ("program", "printed")
        for beta in (0.0, 1.0)
    ]
    program, printed = losses[:2], losses[2:]
    assert program[0][0] == program[0][1]
    assert printed[0][0] != printed[0][1]
    divergence = np.subtract(program[1], program[0])
    np.testing.assert_allclose(divergence, np.subtract(printed[1], printed[0]), rtol=1e-4)
    mean = networks.posterior(jnp.asarray(images, jnp.float32) / 255, domains)[0]
    np.testing.assert_allclose(divergence, 0.5 * float((mean**2).sum(1).mean()), rtol=1e-3)


@pytest.fixture(scope="module", params=["can", "independent"])
def model(request, pictures):
    """Can is trained; Independent stays at its first guess, for two more descents cost much."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "independent":
            patch.setattr(paper_recipe, "descend", lambda _, model, *__, **___: model)
        key = jax.random.key(0)
        return train_paper_recipe(key, *pictures, M, k=1, variant=request.param, beta=1.0, **FEW)


def test_it_can_be_judged(model, pictures):
    images, _ = pictures
    assert isinstance(model, ImageModel)
    moved = model.counterfactual(images[:3], 0, 1)
    assert moved.shape == (3, SIDE, SIDE, 1)
    assert moved.dtype == np.float32
    assert ((moved >= 0) & (moved <= 1)).all()
    assert not np.array_equal(moved, model.counterfactual(images[:3], 0, 0))


def test_plain_reconstructions_are_the_best_of_all_domains(model, pictures):
    images, _ = pictures
    true = images / 255
    errors = [
        ((x - true) ** 2).sum((1, 2, 3))
        for x in [model.reconstruct(images), *(model.counterfactual(images, d, d) for d in (0, 1))]
    ]
    np.testing.assert_allclose(errors[0], np.minimum(*errors[1:]), rtol=1e-6)


def test_independent_shares_nothing_and_dense_differs_in_every_row(model, pictures):
    assert len(model.networks) in (1, 2)
    if len(model.networks) == 1:
        assert model.networks[0].scm.k == 1
        return
    assert model.networks[0].scm.weights.shape == (1, M, M)
    first, second = (n.ends.encoder.hidden.weight for n in model.networks)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"variant": "all"}, "variant must be one of"),
        ({"reading": "heard"}, "reading must be one of"),
        ({"k": None}, "k must be a number"),
    ],
)
def test_wrong_choices(choice, message):
    with pytest.raises(ValueError, match=message):
        check_choices(**({"variant": "can", "reading": "program", "k": 1} | choice))


def test_k_beyond_the_dimension(pictures):
    with pytest.raises(ValueError, match=r"k must be in 0\.\.3"):
        train_paper_recipe(jax.random.key(0), *pictures, M, k=9)
