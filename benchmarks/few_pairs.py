"""Are a few pairs worth more here than to direct standardisation and to a ridge?

python benchmarks/few_pairs.py --sets R1 R2 R3 --seeds 0-9 --out results/benchmarks/few_pairs.json

Real tables (ELSEWHERE_DATA names their folder). Of each split, 5, 10, 20 or 50 samples are transfer
standards: seen in every domain, the fewer ones among the more. All other samples are given to one
domain only. `elsewhere` sees the unpaired rows, and the standards as pairs; the regressions see the
standards alone. Asked are the samples outside the largest set of standards, so that all columns of
the table answer the same questions. Error as on the page of real data: 1 is answering with the
target's mean. Direct standardisations are those of chemotools, with their defaults; the ridge is
standardised, its penalty by leave-one-out. What the file holds is not run again.
"""

import argparse
import json
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elsewhere.datasets.real import PairedData
from elsewhere.estimators import DomainCounterfactual
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.real.sets import real_set
from elsewhere.experiments.real.split import PairedSplit
from seeds import seed_range

COUNTS = (5, 10, 20, 50)


@dataclass(frozen=True)
class Standards:
    """A split in which `count` samples are seen in every domain."""

    data: PairedData
    seed: int
    count: int

    def rows(self, d, seen_in=None, *, asked=True):
        """Rows of the samples given to d (all, or those asked about), as seen in a domain."""
        n = len(self.data.samples)
        apart = self._order(n)[: max(COUNTS) if asked else self.count]
        chosen = (PairedSplit(self.data, self.seed).given == d) & ~np.isin(np.arange(n), apart)
        return self.data.values[d if seen_in is None else seen_in, chosen]

    def pair(self, d, e):
        standards = self._order(len(self.data.samples))[: self.count]
        return self.data.values[d, standards], self.data.values[e, standards]

    def _order(self, n):
        return np.random.default_rng([self.seed, 20]).permutation(n)

    def error(self, answer):
        units, domains = self.data.values.var(axis=1), range(len(self.data.domains))
        errors = [
            ((answer(d, e) - self.rows(d, e)) ** 2 / units[e]).mean()
            for d, e in permutations(domains, 2)
        ]
        return float(np.mean(errors))


def elsewhere(split):
    domains = range(len(split.data.domains))
    tables = [split.rows(d, asked=False) for d in domains]
    labels = np.repeat(domains, [len(table) for table in tables])
    pairs = [(d, e, *split.pair(d, e)) for d, e in combinations(domains, 2) if split.count]
    fitted = DomainCounterfactual().fit(np.concatenate(tables), labels, pairs=pairs or None)
    return lambda d, e: fitted.counterfactual(split.rows(d), source=d, target=e)


def regression(make, split):
    def answer(d, e):
        return make().fit(*split.pair(d, e)).predict(split.rows(d))

    return answer


def ridge():
    return make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 6, 21)))


def standardisation(name, split):
    from chemotools import adaptation

    def answer(d, e):  # its "source" is the instrument that rows are moved to
        x, y = split.pair(d, e)
        return getattr(adaptation, name)().fit(x, X_source=y).transform(split.rows(d))

    return answer


def paired_shift(split):
    def answer(d, e):
        x, y = split.pair(d, e)
        return split.rows(d) + (y - x).mean(axis=0)

    return answer


METHODS = {
    "elsewhere": elsewhere,
    "direct standardisation": partial(standardisation, "DirectStandardization"),
    "piecewise direct standardisation": partial(standardisation, "PiecewiseDirectStandardization"),
    "ridge": partial(regression, ridge),
    "mean difference of pairs": paired_shift,
}
ORDERED = "piecewise direct standardisation"


def main():
    choices = arguments()
    rows = json.loads(choices.out.read_text())["rows"] if choices.out.exists() else []
    for name in choices.sets:
        one = real_set(name)
        data = one.load(None)
        for seed, count, method in asked(one.ordered, choices.seeds):
            if not any((name, seed, count, method) == key(row) for row in rows):
                error = measured(method, Standards(data, seed, count))
                rows.append({"set": name, "seed": seed, "pairs": count, "method": method} | error)
                keep(rows, choices)
        keep(rows, choices)
        show(name, [row for row in rows if row["set"] == name and row["seed"] in choices.seeds])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["R1", "R2", "R3"])
    parser.add_argument("--seeds", type=seed_range, default=range(10), help="e.g. 0-9")
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    return parser.parse_args()


def asked(ordered, seeds):
    for seed in seeds:
        yield seed, 0, "elsewhere"
        for count in COUNTS:
            yield from ((seed, count, m) for m in METHODS if ordered or m != ORDERED)


def measured(method, split):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"error": split.error(METHODS[method](split))}


def key(row):
    return row["set"], row["seed"], row["pairs"], row["method"]


def keep(rows, choices):
    made_by = provenance(" ".join(["python", *sys.argv]), choices.seeds)
    rows.sort(key=key)
    choices.out.write_text(json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n")


def show(name, rows):
    counts = (0, *COUNTS)
    print(f"{name:36}" + "".join(f"{count:>9}" for count in counts))
    for method in METHODS:
        found = [
            [r["error"] for r in rows if (r["pairs"], r["method"]) == (count, method)]
            for count in counts
        ]
        print(f"{method:36}" + "".join(f"{np.mean(e):9.4f}" if e else " " * 9 for e in found))


if __name__ == "__main__":
    main()
