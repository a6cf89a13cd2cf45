"""Estimators with small models of each kind, built and never fitted, for fuzzing their files."""

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.bijections import Affine
from elsewhere.cli.image_kind import ImageKind
from elsewhere.cli.table_kind import TableKind
from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual
from elsewhere.fitting import Candidate, FitResult
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.fit_codes import FlowSettings
from elsewhere.images.image_ild import ImageILD
from elsewhere.mixing import leaky_linear, neural_spline, real_nvp
from elsewhere.model import ILD
from elsewhere.movers import Density
from elsewhere.saving.images import blank_codes
from elsewhere.scm import AdditiveSCM, AutoregressiveSCM, LinearSCM
from elsewhere.scm.additive import CURVES
from small_tables import (
    ASKED,
    DOMAINS,
    bounds,
    crossed,
    gaps,
    kept,
    levels,
    moments,
    paired,
    sums,
    usual,
    wide,
    zeros,
)

TABLES, IMAGES = TableKind(), ImageKind()
SIZES = {"m": 3, "k": 1, "num_domains": 2, "couplings": 1, "width": 4}


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


def curved():
    """Linear axes, and mechanisms that add up curves."""
    rng = np.random.default_rng(1)
    scms = [
        AdditiveSCM(rng.normal(size=(3, 3, CURVES)) / 2, np.ones(3), rng.normal(size=3))
        for _ in DOMAINS
    ]
    return with_models(ILD(Affine(jnp.eye(3) + 0.1, jnp.ones(3)), scms, DOMAINS))


def flow():
    """Couplings, and mechanisms that are networks."""
    keys = jax.random.split(jax.random.key(0), 3)
    scms = [AutoregressiveSCM(key, 3, 4) for key in keys[1:]]
    return with_models(ILD(real_nvp(keys[0], 3, couplings=2, width=4), scms, DOMAINS))


def spline():
    """Couplings by splines."""
    keys = jax.random.split(jax.random.key(0), 3)
    scms = [AutoregressiveSCM(key, 3, 4) for key in keys[1:]]
    mixing = neural_spline(keys[0], 3, couplings=2, width=4, knots=4)
    return with_models(ILD(mixing, scms, DOMAINS))


def pseudo():
    """Two latents behind three columns, by an encoder and a decoder."""
    rng = np.random.default_rng(1)
    scms = [LinearSCM(rng.normal(size=(2, 2)), np.ones(2), rng.normal(size=2)) for _ in DOMAINS]
    white = Whitening(np.zeros(3), np.array([1.0, 10.0, 2.0]), np.eye(3))
    return with_models(PseudoILD(Coder(jax.random.key(0), 3, 2, 4), tuple(scms), DOMAINS, white))


def image():
    """Images of 8 × 8 pixels and codes of 3 numbers; one mixing for both domains."""
    return _images({"shared": True, "anchored": False})


def image_own():
    """A mixing for each domain."""
    return _images({"shared": False, "anchored": False})


def image_detail():
    """Coloured images with residual layers, codes of colours, and detail that is kept."""
    detail = np.array([[1.0, 0.5], [0.25, 1.0]])
    coder = {"shape": (8, 8, 3), "architecture": "vq_vae", "colours": 1}
    return _images({"shared": True, "anchored": True}, coder, detail)


def _images(codes, coder=None, detail=None):
    """An estimator of images, never fitted."""
    given = {"shape": (8, 8, 1), "architecture": "beta_vae", "colours": 0} | (coder or {})
    settings = {name: given[name] for name in ("architecture", "colours")}
    flow = FlowSettings(couplings=1, width=4, steps=2)
    made = ImageDomainCounterfactual(m=3, steps=2, flow=flow, **settings)
    made.model_ = eqx.filter_jit(partial(_image_model, SIZES | codes, given))()
    made.model_ = eqx.tree_at(lambda m: m.detail, made.model_, detail, is_leaf=lambda x: x is None)
    made.domains_, made.notes_ = DOMAINS, ()
    return made


def _image_model(sizes, coder):
    return ImageILD(Autoencoder(jax.random.key(0), m=3, **coder), blank_codes(sizes))


def asking_table(name):
    """Every kind of answer of a model of this kind of table, as arrays."""
    asked = ASKED[name]()

    def ask(estimator):
        (d, e), X = estimator.domains_[:2], asked.X
        X = X.set_axis(estimator.space_.columns.names[: X.shape[1]], axis=1)
        known, given = estimator.covariates_, {}
        if known is not None and asked.covariates is not None:
            given = {"covariates": asked.covariates.set_axis(known.names, axis=1)}
        ends = {"source": [d, e], "target": [e, d], **given}
        told = TABLES.listings(TABLES.summary(estimator))
        yield [float(bool(told))]
        if estimator.gaps_ is not None and estimator.gaps_.unseen.any():
            yield numbers(estimator.counterfactual(X, **ends, fill=True))
            return  # else what a domain has never seen is left empty, and a note says so
        yield numbers(estimator.counterfactual(X, **ends))
        if estimator.result_.knows_uncertainty is not None:
            yield from map(numbers, estimator.interval(X, **ends))
        if isinstance(estimator.result_.model, Density):
            yield estimator.log_prob(X, [d, e], **given)
        if isinstance(estimator.result_.model, Density) and known is None:
            yield numbers(estimator.sample(1, domain=d, random_state=0))
        if asked.unseen is not None:
            yield numbers(estimator.counterfactual(X, d, asked.unseen))
        if estimator.gaps_ is not None and estimator.gaps_.missing:
            holes = X.mask(np.arange(X.size).reshape(X.shape) % X.shape[1] == 0)
            yield numbers(estimator.counterfactual(holes, **ends, fill=True))

    return ask


def numbers(answer):
    """The columns that hold numbers; levels are text."""
    if isinstance(answer, np.ndarray) or "O" not in {t.kind for t in answer.dtypes}:
        return answer
    return answer.select_dtypes("number")


def ask_image(estimator):
    """Images moved, and new ones."""
    images = np.random.default_rng(0).random((2, *estimator.shape_), np.float32)
    yield [float(bool(IMAGES.listings(IMAGES.summary(estimator))) or 1)]
    yield estimator.counterfactual(images, *estimator.domains_[:2])
    yield estimator.sample(2, domain=estimator.domains_[0], random_state=0)


_FITTED = (moments, kept, gaps, wide, crossed, zeros, sums, levels, paired, usual, bounds)
_BUILT = (linear, curved, flow, spline, pseudo)
_IMAGES = (image, image_own, image_detail)
KINDS = {
    **{build.__name__: (build, asking_table(build.__name__)) for build in _FITTED},
    **{build.__name__: (build, asking_table("moments")) for build in _BUILT},
    **{build.__name__: (build, ask_image) for build in _IMAGES},
}
OF_IMAGES = {build.__name__ for build in _IMAGES}
