"""Find paired tables in packages of data: the same unit observed in several domains.

python benchmarks/paired_tables.py --packages DIRECTORY … --out paired_tables.json

A rule, and no eye, decides what is a paired table, so that nobody chooses what is easy. In every
table of a package two columns, one for units and one for domains, are looked for that name each row
once; of all such pairs the one that leaves most values counts. Of at most LARGEST_COUNT domains,
first, middle and last, all units are kept that have a row in each, and all columns of amounts that
change from domain to domain and agree between them on which units have more: else pairs are no
truth. A table that has columns of another is left out, whatever package it is in. Half of the
tables, by a hash of their name, are for choosing; the other half is blind. Those that had been
looked at before are for choosing.
"""

import argparse
import hashlib
import json
import re
import warnings
from itertools import permutations
from pathlib import Path

import numpy as np
import pandas as pd

from elsewhere.datasets.real import PairedData

SUFFIXES = (".pkl.compress", ".csv", ".csv.gz", ".csv.bz2", ".dta")
LARGEST_COUNT = 3  # domains
FEWEST_ROWS = 8  # of a domain once every unit is given to one
MOST_UNITS, MOST_COLUMNS = 1_500, 30
MOST_ROWS = 200_000
MOST_BYTES = 1_000_000  # of a file
AMOUNTS = 8  # different values in each domain
AGREES = 0.4  # rank correlation between domains
ANEW = 0.5  # of the units have another value in another domain
TWIN = 0.999  # rank correlation of columns of which one tells the other
MOST_GAPS = 0.1
SHARED = 0.5  # of the units of any domain have a row in every one
TWICE = 0.02  # of the rows may name a unit and a domain that another names
SEEN_BEFORE = re.compile(  # names of files that were used to choose, whatever their package
    "airfare|crime|mathpnl|rental|murder|prison|lowbrth|driving|gpa3|big9salary|slp75|fish|munnell"
    "|produc|elnino|grunfeld|gapminder|seattle|sf-temps|castle|nhefs|stocks|weather|nycflights13"
    "|guns|empluk|textbook|airquality",
    re.IGNORECASE,
)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file")
    choices = parser.parse_args()
    warnings.simplefilter("ignore")
    found = listed(choices.packages)
    choices.out.write_text(json.dumps(found, indent=1) + "\n")
    for pool in ("choosing", "blind"):
        print(f"{pool}: {sum(one['pool'] == pool for one in found)} tables")


def listed(packages):
    """What is to be known of every paired table to make it again, each set of numbers once."""
    found, known = [], set()
    for root in packages:
        for file in sorted(f for f in root.rglob("*") if f.name.endswith(SUFFIXES)):
            if "test" in str(file.relative_to(root)) or (one := described(file)) is None:
                continue
            marks = one.pop("marks")
            if len(marks & known) > len(marks) / 4:
                continue
            known |= marks
            name = f"{root.name}/{file.relative_to(root)}"
            found.append({"name": name, "pool": pool_of(name), **one})
    return found


def pool_of(name):
    even = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0
    return "choosing" if even or SEEN_BEFORE.search(name) else "blind"


def described(file):
    """Unit, domain, domains and columns of a file that holds a paired table; else None."""
    table = read(file) if file.stat().st_size <= MOST_BYTES else None
    if table is None or not 4 * FEWEST_ROWS <= len(table) <= MOST_ROWS:
        return None
    codes = {c: pd.factorize(table[c])[0] for c in table if is_key(table[c])}
    keys = {c: int(code.max()) + 1 for c, code in codes.items()}
    candidates = []
    for unit, domain in permutations(keys, 2):
        if not 2 <= keys[domain] <= 200 or keys[unit] < 2 * FEWEST_ROWS:
            continue
        if keys[unit] * keys[domain] < 0.5 * len(table):
            continue
        both = codes[unit] * keys[domain] + codes[domain]
        if len(np.unique(both)) < (1 - TWICE) * len(table):
            continue
        found = paired(table, unit, domain)
        if found is not None:
            candidates.append((found.values.size, -keys[domain], unit, domain, found))
    if not candidates:
        return None
    *_, unit, domain, best = max(candidates, key=lambda one: one[:4])
    marks = {f"{spread:.4g}" for spread in best.values.std(axis=1).ravel()}
    return {
        "unit": unit,
        "domain": domain,
        "domains": list(best.domains),
        "columns": list(best.columns),
        "units": len(best.samples),
        "marks": marks,
    }


def read(file):
    """The table of a file, its index as columns if that has names; None if there is none."""
    try:
        if file.name.endswith(".pkl.compress"):
            table = pd.read_pickle(file, compression="xz")
        elif file.suffix == ".dta":
            table = pd.read_stata(file)
        else:
            table = pd.read_csv(file, low_memory=False)
    except Exception:  # whatever a package holds
        return None
    if not isinstance(table, pd.DataFrame) or table.columns.nlevels > 1:
        return None
    if any(table.index.names):
        table = table.reset_index()
    table = table.loc[:, ~table.columns.duplicated()]
    return table.set_axis([str(c) for c in table.columns], axis=1)


def is_key(column):
    """Whether a column holds names or whole numbers."""
    if not pd.api.types.is_numeric_dtype(column):
        try:
            return column.nunique() > 1
        except TypeError:
            return False
    known = column.dropna().to_numpy(float)
    return len(known) > 0 and bool((known == np.rint(known)).all()) and np.ptp(known) > 0


def paired(table, unit, domain, domains=None):
    """The paired table of these two columns, or None where it is too small."""
    table = table[[c for c in table if c in (unit, domain) or not counts_rows(table[c])]]
    table = table.dropna(subset=[unit, domain]).drop_duplicates([unit, domain])
    if domains is None:
        domains = spread_out(table[domain])
    parts = [table[table[domain].astype(str) == d].set_index(unit) for d in domains]
    units, every = parts[0].index, parts[0].index
    for part in parts[1:]:
        units, every = units[units.isin(part.index)], every.union(part.index)
    if len(units) < max(FEWEST_ROWS * len(domains), SHARED * len(every)):
        return None
    numeric = [
        c
        for c in table
        if c not in (unit, domain)
        and pd.api.types.is_numeric_dtype(table[c])
        and not pd.api.types.is_bool_dtype(table[c])
    ]
    if not numeric:
        return None
    values = np.stack([part.loc[units, numeric].astype(float).to_numpy() for part in parts])
    kept = np.isnan(values).any(axis=0).mean(axis=0) <= MOST_GAPS
    values, names = values[:, :, kept], [n for n, k in zip(numeric, kept, strict=True) if k]
    whole = np.isfinite(values).all(axis=(0, 2))
    values, units = values[:, whole], units[whole]
    if len(units) < FEWEST_ROWS * len(domains):
        return None
    if len(units) > MOST_UNITS:
        some = np.sort(np.random.default_rng(0).permutation(len(units))[:MOST_UNITS])
        values, units = values[:, some], units[some]
    good = [j for j in range(len(names)) if measures(values[:, :, j])]
    good = without_twins(values, good)[:MOST_COLUMNS]
    if len(good) < 2:
        return None
    chosen = tuple(names[j] for j in good)
    return PairedData("", values[:, :, good], tuple(domains), tuple(map(str, units)), chosen)


def counts_rows(column):
    """Whether a column is a row's number."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return False
    return str(column.name) == "rownames" or bool((column.diff().iloc[1:] == 1).all())


def spread_out(column):
    """First, middle and last of the domains that have most units."""
    counts = column.value_counts()
    full = counts[counts >= 0.8 * counts.max()].index
    order = sorted(full) if pd.api.types.is_numeric_dtype(column) else sorted(full, key=str)
    places = np.linspace(0, len(order) - 1, min(LARGEST_COUNT, len(order))).round().astype(int)
    return [str(order[i]) for i in places] if len(order) > 1 else [str(i) for i in counts.index[:2]]


def measures(values):
    """Whether a column is an amount, not the same everywhere, of which units have more or less."""
    if min(len(np.unique(v)) for v in values) < AMOUNTS:
        return False
    ranks = np.stack([pd.Series(v).rank().to_numpy() for v in values])
    changes = [(a != b).mean() for a, b in zip(values[:-1], values[1:], strict=True)]
    return np.corrcoef(ranks).min() >= AGREES and min(changes) >= ANEW


def without_twins(values, places):
    """Columns of which no earlier one tells all."""
    kept, ranks = [], {}
    for j in places:
        ranks[j] = [pd.Series(v).rank().to_numpy() for v in values[:, :, j]]
        alike = (
            min(abs(np.corrcoef(a, b)[0, 1]) for a, b in zip(ranks[j], ranks[i], strict=True))
            for i in kept
        )
        if max(alike, default=0.0) < TWIN:
            kept.append(j)
    return kept


if __name__ == "__main__":
    main()
