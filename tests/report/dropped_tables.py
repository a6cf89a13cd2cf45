"""Tables and fitted models of every kind that a page can carry."""

from dataclasses import replace
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import pandas as pd
from flowjax.bijections import Chain

from elsewhere.bijections import Affine
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Candidate, FitResult, Pairs
from elsewhere.mixing import leaky_linear
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM
from elsewhere.scm.additive import CURVES, AdditiveSCM

NASTY = "<script>window.ran = 1</script>"
KINDS = ["free", "positive", "bounded", "count", "skewed", f"b{NASTY}"]
LEVELS = ["low", "middle", "high, or more"]


class Dropped(NamedTuple):
    """A fitted model, the rows to drop on its page, and their labels and covariates."""

    estimator: DomainCounterfactual
    X: pd.DataFrame
    labels: Any
    covariates: pd.DataFrame | None = None

    def asked(self, target):
        """Python's own answer."""
        given = {} if self.covariates is None else {"covariates": self.covariates}
        return self.estimator.counterfactual(self.X, source=self.labels, target=target, **given)

    def file(self):
        """The rows as a file holds them, with a column that no model knows."""
        parts = [self.X, pd.DataFrame(self.labels), self.covariates]
        return pd.concat([p for p in parts if p is not None], axis=1).assign(note='x, "y"')


def table(n=500, seed=0):
    """Every shape of link in two domains, one of them named by a stranger."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((2 * n, 6)) @ (np.eye(6) + 0.3 * rng.standard_normal((6, 6)))
    z[n:] = 1.3 * z[n:] + rng.standard_normal(6)
    X = pd.DataFrame(
        {
            "free": 3 * z[:, 0],
            "positive": 20 + np.abs(z[:, 1]),
            "bounded": 1 / (1 + np.exp(-2 * z[:, 2])),
            "count": np.rint(30 + 5 * z[:, 3]).clip(0),
            "skewed": np.exp(1.5 * z[:, 4]),
            KINDS[5]: z[:, 5],
        }
    )
    return X, pd.Series(np.repeat([f"a{NASTY}", "b"], n), name="site")


def by_moments():
    """A map by moments between links of every shape."""
    X, labels = table()
    return Dropped(DomainCounterfactual(mixing="moments").fit(X, labels), X, labels)


def far_out():
    """Some values lie so far out that they count as the farthest usual one."""
    X, labels = table(seed=1)
    X.loc[[3, 700], "free"] = [1e5, -1e5]
    return Dropped(DomainCounterfactual(mixing="moments").fit(X, labels), X, labels)


def _with_models(mixings, scms):
    """The links of a fit, and models that were never fitted."""
    found = by_moments()
    models = [ILD(mixing, scms, found.estimator.domains_) for mixing in mixings]
    candidates = tuple(Candidate(model, -1.0, -1.0, "by hand") for model in models)
    found.estimator.result_ = FitResult(candidates, 2, -1.0, 0.1, 0.1, "by hand")
    found.estimator.mixing_ = "leaky"
    return found


def by_leaky_layers():
    """The mean of a linear mixing and of one and two leaky layers, with linear mechanisms."""
    rng = np.random.default_rng(1)
    mix = jnp.asarray(np.eye(6) + 0.2 * rng.standard_normal((6, 6)))
    lower = np.tril(0.3 * rng.standard_normal((6, 6)), -1)
    scms = [LinearSCM(lower * (1 + d), np.full(6, 1.0 + d), np.ones(6)) for d in (0, 1)]
    shift = jnp.asarray(rng.standard_normal(6))
    leaky = leaky_linear(mix, shift)
    two = Chain([leaky_linear(mix.T, shift, slope=0.3), leaky])
    return _with_models([leaky, Affine(mix), two], scms)


def by_curves():
    """Mechanisms that add up curves of their causes."""
    rng = np.random.default_rng(2)
    mix = jnp.asarray(np.eye(6) + 0.2 * rng.standard_normal((6, 6)))
    weights = 0.2 * rng.standard_normal((2, 6, 6, CURVES))
    scms = [AdditiveSCM(w, np.full(6, 1.0 + d), np.ones(6)) for d, w in enumerate(weights)]
    return _with_models([Affine(mix)], scms)


def with_pairs():
    """A map that pairs have corrected."""
    X, labels = table()
    a, b = X[labels != "b"], X[labels == "b"]
    seen = b[:40].assign(free=1.5 * a["free"][:40].to_numpy() + 1)
    pairs = Pairs(labels[0], "b", a[:40], seen)
    asked = DomainCounterfactual(mixing="moments")
    return Dropped(asked.fit(X, labels, pairs=pairs), X, labels)


def levels_zeros_and_sums(n=500, seed=3):
    """Levels as text and as numbers, zeros apart from amounts, a sum, and gaps in every column."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((2 * n, 6)) @ (np.eye(6) + 0.4 * rng.standard_normal((6, 6)))
    z[n:] = 1.2 * z[n:] + 0.6
    none = rng.random((2 * n, 2)) < 0.3
    X = pd.DataFrame(
        {
            "grade": np.array(LEVELS, object)[np.searchsorted([-0.5, 0.8], z[:, 0])],
            "stage": np.searchsorted([-1, 0, 1.0], z[:, 1]) + 1,
            "cost": np.where(none[:, 0], 0.0, np.exp(1 + z[:, 2])),
            "visits": np.where(none[:, 1], 0, np.rint(20 + 4 * z[:, 3])),
            "drug": 10 + z[:, 4],
            "nurse": 20 + z[:, 5],
            "always": 7.0,
        }
    )
    X["total"] = X["drug"] + X["nurse"] + X["always"]
    for name in ("grade", "cost", "drug"):
        X.loc[rng.random(2 * n) < 0.1, name] = np.nan
    X.loc[X["drug"].isna(), "total"] = np.nan
    labels = pd.Series(np.repeat(["old", "new"], n), name="clinic")
    links = {"grade": ("levels", *LEVELS), "stage": "levels"}
    links |= {"cost": "zeros", "visits": "zeros"}
    asked = DomainCounterfactual(
        mixing="moments", links=links, sums={"total": ["drug", "nurse", "always"]}
    )
    return Dropped(asked.fit(X, labels), X, labels)


def with_covariates(n=500, seed=4):
    """A smooth number and a category, which also change how much rows vary; some rows' gaps."""
    rng = np.random.default_rng(seed)
    age, sick = rng.uniform(20, 80, 2 * n), rng.random(2 * n) < 0.4
    curve, site = np.sin(age / 9), np.repeat([0.0, 1.0], n)
    e = rng.standard_normal((2 * n, 3)) * np.where(sick, 2.5, 1.0)[:, None]
    told = np.column_stack([2 * curve, sick * 2.0, curve * sick])
    y = (told + e) * np.where(site, 1.5, 1.0)[:, None] + site[:, None]
    X = pd.DataFrame(y, columns=["a", "b", "c"]).assign(c=lambda t: np.exp(0.3 * t["c"]))
    X.loc[rng.random(2 * n) < 0.1, "b"] = np.nan
    kept = pd.DataFrame({"age": age, "diagnosis": np.where(sick, "malignant, or so", "benign")})
    labels = pd.Series(np.where(site, "B", "A"), name="site")
    asked = DomainCounterfactual(mixing="moments")
    return Dropped(asked.fit(X, labels, covariates=kept, carried=0.7), X, labels, kept)


def with_gaps_in_a_category(n=500, seed=8):
    """A category that some rows do not have."""
    rng = np.random.default_rng(seed)
    site, sick = np.repeat([0.0, 1.0], n), rng.random(2 * n) < 0.4
    y = rng.standard_normal((2 * n, 2)) + site[:, None] + 2 * sick[:, None]
    X, labels = (
        pd.DataFrame(y, columns=["a", "b"]),
        pd.Series(np.where(site, "B", "A"), name="site"),
    )
    kept = pd.DataFrame({"diagnosis": np.where(sick, "ill", "well")})
    kept = kept.where(np.arange(2 * n)[:, None] % 9 > 0)
    fitted = DomainCounterfactual(mixing="moments").fit(X, labels, covariates=kept)
    return Dropped(fitted, X, labels, kept)


def crossed(n=250, seed=5):
    """Site and scanner in two columns; one combination has no rows."""
    rng = np.random.default_rng(seed)
    seen = [("A", "1"), ("A", "2"), ("B", "1"), ("C", "1")]
    labels = pd.DataFrame(np.repeat(seen, n, axis=0), columns=["site", "scanner"])
    shift = labels["site"].map({"A": 0.0, "B": 1.0, "C": -1.0}) + 2.0 * (labels["scanner"] == "2")
    e = rng.standard_normal((4 * n, 3)) + shift.to_numpy()[:, None] * [1, -0.5, 0.2]
    X = pd.DataFrame(e, columns=["p", "q", "r"]).assign(r=lambda t: np.exp(t["r"]))
    return Dropped(DomainCounterfactual().fit(X, labels), X, labels)


def wide(n=500, p=60, seed=6):
    """Columns too many for a covariance matrix; gaps, and a column never seen in one domain."""
    rng = np.random.default_rng(seed)
    e = rng.standard_normal((2 * n, 4)) @ rng.standard_normal((4, p))
    e += rng.standard_normal((2 * n, p))
    e[n:] = 1.3 * e[n:] + 1
    X = pd.DataFrame(e, columns=[f"g{j}" for j in range(p)])
    X = X.mask(rng.random(X.shape) < 0.05)
    X.loc[: n - 1, "g7"] = np.nan
    labels = pd.Series(np.repeat(["x", "y"], n), name="batch")
    return Dropped(DomainCounterfactual(mixing="moments").fit(X, labels), X, labels)


def nothing_differs(n=500, seed=7):
    """Rows of one domain under two names, which stay as they are, to the letter."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.standard_normal((2 * n, 3)), columns=["a", "b", "c"])
    labels = pd.Series(np.repeat(["one", "two"], n), name="half")
    found = DomainCounterfactual(mixing="moments").fit(X, labels)
    model = found.result_.model
    effects = {n: getattr(model, n) for n in ("offsets", "scales", "turns")}
    none = {n: replace(e, means=np.zeros_like(e.means)) for n, e in effects.items()}
    alike = Candidate(replace(model, **none), -1.0, -1.0, "alike")
    found.result_ = replace(found.result_, candidates=(alike,))
    return Dropped(found, X, labels)


EVERY_KIND = {
    made.__name__: made
    for made in (
        *(by_moments, far_out, by_leaky_layers, by_curves, with_pairs, levels_zeros_and_sums),
        *(with_covariates, with_gaps_in_a_category, crossed, wide, nothing_differs),
    )
}
