"""Estimators with small models of each kind, built and never fitted, for fuzzing their files."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.fitting import Candidate, FitResult
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.fit_codes import FlowSettings
from elsewhere.images.image_ild import ImageILD
from elsewhere.mixing import leaky_linear, real_nvp
from elsewhere.model import ILD
from elsewhere.saving.images import blank_codes
from elsewhere.scm import AutoregressiveSCM, LinearSCM

SIZES = {"m": 3, "k": 1, "num_domains": 2, "couplings": 1, "width": 4}
DOMAINS = ("north", "south")


def table():
    """60 rows of two sites: real, real, positive."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 3))
    x[30:] = 1 + 2 * x[30:]
    frame = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": np.exp(x[:, 2])})
    return frame, np.repeat(DOMAINS, 30)


def moments():
    """A map by moments, fitted in milliseconds."""
    return DomainCounterfactual(mixing="moments").fit(*table())


def ages():
    """A number and a category to keep, of the rows of the table."""
    rng = np.random.default_rng(2)
    return pd.DataFrame({"age": rng.uniform(20, 80, 60), "sex": rng.choice(["f", "m"], 60)})


def kept():
    """A map by moments beside covariates that stay."""
    return DomainCounterfactual(mixing="moments").fit(*table(), covariates=ages())


def with_models(*models):
    """The estimator of the table with these models in the place of its own."""
    made = moments()
    found = tuple(Candidate(m, -3.0, -3.0, f"candidate {i}") for i, m in enumerate(models))
    made.result_ = FitResult(found, 2, -3.0, 0.01, 0.01, "by hand", simpler=made.result_.model)
    made.mixing_ = "leaky"
    return made


def linear():
    """Two equally good models: linear, and leaky."""
    rng = np.random.default_rng(1)
    scms = [LinearSCM(rng.normal(size=(3, 3)), np.ones(3), rng.normal(size=3)) for _ in DOMAINS]
    return with_models(
        ILD(leaky_linear(jnp.eye(3) + 0.1, slope=1.0), scms, DOMAINS),
        ILD(leaky_linear(jnp.eye(3) - 0.1, slope=0.3), scms, DOMAINS),
    )


def flow():
    """Couplings, and mechanisms that are networks."""
    keys = jax.random.split(jax.random.key(0), 3)
    scms = [AutoregressiveSCM(key, 3, 4) for key in keys[1:]]
    return with_models(ILD(real_nvp(keys[0], 3, couplings=2, width=4), scms, DOMAINS))


def image():
    """Images of 8 × 8 pixels and codes of 3 numbers."""
    made = ImageDomainCounterfactual(m=3, steps=2, flow=FlowSettings(couplings=1, width=4, steps=2))
    made.model_ = eqx.filter_jit(_image_model)()
    made.domains_, made.notes_ = DOMAINS, ()
    return made


def _image_model():
    codes = blank_codes(SIZES | {"shared": True, "anchored": False})
    return ImageILD(Autoencoder(jax.random.key(0), (8, 8, 1), 3), codes)


def ask_table(estimator):
    """Every kind of answer, as arrays: two rows, each moved to the other's domain."""
    X, (d, e) = table()[0].iloc[29:31], estimator.domains_[:2]
    X = X.set_axis(estimator.space_.columns.names[:3], axis=1)
    known = estimator.covariates_
    given = {}
    if known is not None:
        given = {"covariates": ages().iloc[29:31].set_axis(known.names, axis=1)}
    yield estimator.counterfactual(X, source=[d, e], target=[e, d], **given)
    yield from estimator.interval(X, source=[d, e], target=[e, d], **given)
    yield estimator.log_prob(X, [d, e], **given)
    if known is None:
        yield estimator.sample(1, domain=d, random_state=0)


def ask_image(estimator):
    """Images moved, and new ones."""
    images = np.random.default_rng(0).random((2, *estimator.shape_), np.float32)
    yield estimator.counterfactual(images, *estimator.domains_[:2])
    yield estimator.sample(2, domain=estimator.domains_[0], random_state=0)


KINDS = {
    "moments": (moments, ask_table),
    "kept": (kept, ask_table),
    "linear": (linear, ask_table),
    "flow": (flow, ask_table),
    "image": (image, ask_image),
}
