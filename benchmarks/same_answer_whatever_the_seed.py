"""Does the default answer alike whatever the seed?

python benchmarks/same_answer_whatever_the_seed.py --out out.json

Iris and wine by class, a table like the penguins (333 × 4, three domains), and, where the variable
ELSEWHERE_DATA names the folder, one split of every real table (R1 to R7); random_state 0–9, else
all defaults. Per entry: the largest difference between any seed's answer and the first seed's, over
the width of the first seed's 90 % interval. The bar: above a tenth for at most 5 % of entries. Rows
that differ by rounding alone (10⁻⁶ standard deviations) count as alike. What the file holds is not
run again.
"""

import argparse
import json
import os
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, load_wine

from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.sets import REAL_SETS
from elsewhere.experiments.real.split import PairedSplit

TENTH, MOST, ROUNDING = 0.1, 0.05, 1e-6


def main():
    choices = arguments()
    known = choices.out and choices.out.exists()
    rows = json.loads(choices.out.read_text())["rows"] if known else []
    print(f"{'table':10}{'rows':>6}{'columns':>9}{'differ':>8}{'largest':>10}  k by seed")
    for name, make in tables().items():
        if name in (choices.tables or tables()) and not any(name == row["table"] for row in rows):
            rows.append(measure(name, *make(), range(choices.seeds)))
            keep(rows, choices)
    for row in rows:
        show(row)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--tables", nargs="+", help="only these")
    parser.add_argument("--quick", action="store_true", help="two seeds")
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    choices.seeds = 2 if choices.quick else choices.seeds
    return choices


def tables():
    made = {
        "iris": lambda: load_iris(return_X_y=True),
        "wine": lambda: load_wine(return_X_y=True),
        "penguins": penguins_like,
        "two sexes": two_sexes,
    }
    if "ELSEWHERE_DATA" in os.environ:
        made |= {name: partial(real, name) for name in REAL_SETS}
    return made


def penguins_like():
    """Bill length and depth, flipper length, body mass; three species of unlike size and shape."""
    rng = np.random.default_rng(0)
    means = np.array([[38.8, 18.3, 190, 3706], [48.8, 18.4, 196, 3733], [47.6, 15.0, 217, 5092]])
    deviations = np.array([[2.7, 1.2, 6.5, 459], [3.3, 1.1, 7.1, 384], [3.1, 1.0, 6.6, 501]])
    labels = np.repeat(np.arange(3), [146, 68, 119])
    correlations = [0.4 + 0.6 * np.eye(4), 0.6 + 0.4 * np.eye(4), 0.65 + 0.35 * np.eye(4)]
    draws = np.concatenate(
        [
            rng.multivariate_normal(np.zeros(4), correlations[d], (labels == d).sum())
            for d in (0, 1, 2)
        ]
    )
    x = means[labels] + deviations[labels] * draws
    return np.round(x, 1), labels


def two_sexes():
    """The same table, but two domains of equal shape: enough rows to search for mechanisms."""
    x, _ = penguins_like()
    labels = np.random.default_rng(1).permutation(len(x)) % 2
    return x + np.where(labels, 1, 0)[:, None] * np.array([3.7, 1.5, 7.0, 680.0]), labels


def real(name):
    """One split of the samples over the domains."""
    split = PairedSplit(REAL_SETS[name].load(None), seed=0)
    sizes = [len(table) for table in split.tables]
    return np.concatenate(split.tables), np.repeat(np.arange(len(sizes)), sizes)


def measure(name, x, labels, seeds):
    fits = [fitted(x, labels, seed) for seed in seeds]
    targets = [*fits[0].domains_]
    answers = np.stack([[one.counterfactual(x, labels, e) for e in targets] for one in fits])
    ends = [fits[0].interval(x, source=labels, target=e) for e in targets]
    width = np.stack([high - low for low, high in ends])
    gap = np.abs(answers - answers[0]).max(axis=0)
    asked = np.stack([labels != e for e in targets])  # else the row stays as it is
    beyond = gap > np.maximum(TENTH * width, ROUNDING * x.std(axis=0))
    moved = gap[asked] / x.std(axis=0)
    return {
        "table": name,
        "rows": len(x),
        "columns": x.shape[1],
        "differ": float(beyond[asked].mean()),
        "largest": float(moved.max()),  # in standard deviations of the column
        "width": float((width[asked] / x.std(axis=0)).mean()),
        "k": [one.result_.k for one in fits],
        "explanations": [e.words for e in fits[0].result_.explanations if e.used],
        "holds": bool(beyond[asked].mean() <= MOST),
    }


def fitted(x, labels, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return DomainCounterfactual(random_state=seed).fit(x, labels)


def show(row):
    print(
        f"{row['table']:10}{row['rows']:6}{row['columns']:9}{row['differ']:8.3f}"
        f"{row['largest']:10.2g}  {row['k']}  {'' if row['holds'] else 'missed: '}"
        f"{'; '.join(row['explanations'])}",
        flush=True,
    )


def keep(rows, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), range(choices.seeds))
    if choices.out:
        choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
