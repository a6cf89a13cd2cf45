"""Estimators that were never fitted: a known model put in their place, in the table's own units."""

import jax
import numpy as np
import pandas as pd

from elsewhere.datasets import simulate, simulated_truth
from elsewhere.estimators import DomainCounterfactual, Link
from elsewhere.estimators.columns import read_columns
from elsewhere.estimators.link_space import LinkSpace
from elsewhere.fitting import Candidate, FitResult, Options
from elsewhere.model import ILD

NAMES = ("Ash", "Birch", "Cedar")
SMALL = Options(starts=4, steps=8, rounds=0, parents=4)


def true_model(m=3, num_domains=3, seed=0, names=NAMES):
    truth = simulated_truth(jax.random.key(seed), m, num_domains, {m - 2, m - 1})
    return ILD(truth.mixing, truth.scms, names[:num_domains])


def table_of(model, rows=300, seed=1, columns="abcdefgh"):
    data = simulate(jax.random.key(seed), model, train=rows)
    x = np.asarray(data.train).reshape(-1, model.m)
    labels = np.repeat(np.array(model.domains, object), rows)
    return pd.DataFrame(x, columns=list(columns[: model.m])), labels


def estimator_with(X, *models):
    """Candidates as given, links that do nothing."""
    estimator, x = DomainCounterfactual(k=2, mixing="leaky", options=SMALL), X.to_numpy(float)
    candidates = tuple(Candidate(m, -3.0, -3.0, f"candidate {i}") for i, m in enumerate(models))
    estimator.result_ = FitResult(candidates, 2, -3.0, 0.01, 0.01, "by hand")
    estimator.space_ = LinkSpace(read_columns(X, x), (Link(),) * x.shape[1])
    estimator.domains_, estimator.mixing_, estimator.domain_name_ = models[0].domains, "leaky", None
    estimator.n_features_in_ = x.shape[1]
    estimator.feature_names_in_ = np.array(X.columns, object)
    return estimator
