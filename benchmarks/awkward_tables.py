"""What happens to awkward tables: fitted sensibly, or refused with a reason?

python benchmarks/awkward_tables.py

10,000 rows and ten columns of three domains, the last two mechanisms changing; each case spoils
them in one way. For a fit: its counterfactual error by that of doing nothing, in deviations of the
columns.
"""

import time

import jax
import numpy as np
import pandas as pd

from elsewhere import DomainCounterfactual
from elsewhere.datasets import simulate, simulated_truth

M, DOMAINS, ROWS = 10, 3, 3_334
NAMES = [f"x{j}" for j in range(M)]


def main():
    truth = simulated_truth(jax.random.key(3), M, DOMAINS, (M - 2, M - 1), bias="sparse")
    data = simulate(jax.random.key(4), truth, train=ROWS, test=500)
    for name, spoil in CASES.items():
        start = time.perf_counter()
        print(
            f"{name:28} {outcome(data, spoil)}  ({time.perf_counter() - start:.0f} s)", flush=True
        )


def outcome(data, spoil):
    table, domains = spoil(*stacked(data.train))
    try:
        model = DomainCounterfactual(k=2, random_state=0).fit(table, domains)
    except ValueError as error:
        return f"refused: {error}"
    return (
        f"fitted, error {relative_error(model, data, spoil):.2g} of doing nothing; {model.notes_}"
    )


def relative_error(model, data, spoil):
    """Σ_{d≠d'} |x̂ − x_{d→d'}|² by Σ |x − x_{d→d'}|², each column in its deviation."""
    unit, wrong, still = np.asarray(data.test).std(axis=(0, 1)), 0.0, 0.0
    for d in range(DOMAINS):
        for d_prime in set(range(DOMAINS)) - {d}:
            table, _ = spoil(*labelled(data.test[d], d))
            moved = model.counterfactual(table, source=f"site {d}", target=f"site {d_prime}")
            answer = unspoiled(moved, spoil)
            true = np.asarray(data.counterfactuals[d, d_prime])[: len(answer)]
            wrong += (((answer - true) / unit) ** 2).sum()
            still += (((np.asarray(data.test[d])[: len(answer)] - true) / unit) ** 2).sum()
    return wrong / still


def stacked(tables):
    parts = [labelled(table, d) for d, table in enumerate(tables)]
    return pd.concat([p[0] for p in parts], ignore_index=True), np.concatenate(
        [p[1] for p in parts]
    )


def labelled(rows, d):
    return pd.DataFrame(np.asarray(rows, float), columns=NAMES), np.repeat(f"site {d}", len(rows))


def unspoiled(moved, spoil):
    table = moved[NAMES].to_numpy(float)
    return table / UNITS if spoil is wild else table


UNITS = 10.0 ** np.linspace(-6, 6, M)


def as_it_is(table, domains):
    return table, domains


def wild(table, domains):
    return table * UNITS, domains


def constant(table, domains):
    return table.assign(always=3.0), domains


def duplicated(table, domains):
    return table.assign(again=table["x0"]), domains


def few(table, domains):
    keep = table.groupby(domains).cumcount() < M - 2
    return table[keep.to_numpy()], domains[keep.to_numpy()]


def missing(table, domains):
    table = table.copy()
    table.loc[table.index[7], "x4"] = np.nan
    return table, domains


def one_domain(table, domains):
    keep = domains == domains[0]
    return table[keep], domains[keep]


def three_rows(table, domains):
    keep = (domains != "site 2") | (pd.Series(domains).groupby(domains).cumcount() < 3).to_numpy()
    return table[keep], domains[keep]


CASES = {
    "as it is": as_it_is,
    "units from 1e-6 to 1e6": wild,
    "a constant column": constant,
    "a column twice": duplicated,
    "fewer rows than columns": few,
    "a missing number": missing,
    "one domain": one_domain,
    "a domain of three rows": three_rows,
}

if __name__ == "__main__":
    main()
