"""What the examples share: every baseline beside the estimator, and a table to print."""

import numpy as np
from rich.console import Console
from rich.table import Table

from elsewhere.baselines import BASELINES

SIMPLE = ("identity", "mean_variance", "quantile", "combat", "gaussian_ot")


def answers_of_all(estimator, X, domains, *, source, target):
    """x_{source→target} of the rows of the source, by method; ours first."""
    rows = X[domains == source]
    tables = {d: X[domains == d].to_numpy(float) for d in estimator.domains_}
    moved = {"elsewhere": estimator.counterfactual(rows, source=source, target=target)}
    for name in SIMPLE:
        fitted = BASELINES[name]().fit(tables)
        answer = fitted.move(rows.to_numpy(float), d=source, d_prime=target)
        moved[name] = rows.astype(float).assign(**dict(zip(X.columns, answer.T, strict=True)))
    return moved


def mean_squared_error(answer, truth, unit):
    """In units of each column's variance."""
    return float(np.mean(((answer - truth) / unit).to_numpy() ** 2))


def show(title, columns, rows):
    """Print rows of text and numbers."""
    table = Table(title=title, title_justify="left")
    for i, name in enumerate(columns):
        table.add_column(name, justify="right" if i else "left")
    for row in rows:
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    Console().print(table)
