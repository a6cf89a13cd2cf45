"""How long does a fit to more rows than memory holds take, and is its answer that of all rows?

python benchmarks/fit_many_files.py --rows 50000000 --files 100 --folder /data/rows
python benchmarks/fit_many_files.py --rows 2000000 --files 4 --most 20000 --compare

Files of normal rows whose three domains, of different sizes, differ by offsets and scales.
`--compare` fits to all rows in memory, too, and to the sample alone, and says how far the answers
of each are from the first. A folder that is named is kept, and used again.
"""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from elsewhere.datasets.many_files import open_many
from elsewhere.datasets.sample import sampled
from elsewhere.estimators import DomainCounterfactual
from million_rows import COMMAND, run
from report_file import show_and_keep

DOMAINS, SHARES = ("north", "south", "west"), (0.5, 0.3, 0.2)


def main():
    asked = arguments()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(asked.folder or temporary) / "rows"
        make(folder, asked.rows, asked.files, asked.columns)
        if asked.make_only:
            return
        model = Path(temporary) / "m.model"
        report = {"rows": asked.rows, "files": asked.files, "columns": asked.columns}
        report |= {"most_rows_per_domain": asked.most, "load": round(os.getloadavg()[0], 2)}
        words = ("fit", folder, "--domain", "site", "--out", model, "--most-rows", asked.most)
        report["fit"] = run(COMMAND, *words, "--force", "--json")
        report["notes"] = list(DomainCounterfactual.load(model).notes_)
        if asked.compare:
            report["off"] = compared(folder, model, asked.most)
    show_and_keep(report, asked.out)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--most", type=int, default=200_000, help="rows per domain of the sample")
    parser.add_argument("--folder", help="where the files are made, or lie already")
    parser.add_argument("--make-only", action="store_true", help="make files, fit nothing")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def make(folder, rows, files, columns):
    """The files that are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(files):
        path = folder / f"{i:04d}.parquet"
        if not path.exists():
            pq.write_table(drawn(i, rows // files, columns), part := path.with_suffix(".part"))
            part.rename(path)


def drawn(file, rows, columns):
    """x = (Q z) (1 + 0.2 d) + d b for the domain d, the same Q and b in every file."""
    law, rng = np.random.default_rng(0), np.random.default_rng([1, file])
    mixing = np.linalg.qr(law.standard_normal((columns, columns)))[0] * law.uniform(0.5, 2, columns)
    offsets = 0.3 * law.standard_normal(columns)
    code = rng.choice(len(DOMAINS), rows, p=SHARES)
    x = rng.standard_normal((rows, columns)) @ mixing.T * (1 + 0.2 * code[:, None])
    x += code[:, None] * offsets
    site = pa.DictionaryArray.from_arrays(code.astype(np.int8), list(DOMAINS)).cast(pa.string())
    return pa.table({f"x{j}": x[:, j] for j in range(columns)} | {"site": site})


def compared(folder, model, most):
    """RMS distance of answers to those of a fit to all rows, in deviations of each column."""
    table = pq.read_table(folder)
    X, site = table.drop_columns(["site"]).to_pandas(), table["site"].to_pandas()
    few = sampled(open_many(str(folder)), "site", most, 0).table.to_pandas()
    full = DomainCounterfactual().fit(X, site)
    alone = DomainCounterfactual().fit(few.drop(columns="site"), few["site"])
    rows, labels = X[:20_000], site[:20_000]
    answers = {
        name: estimator.counterfactual(rows, labels, "north").to_numpy()
        for name, estimator in {
            "all": full,
            "sample": alone,
            "sample and moments": DomainCounterfactual.load(model),
        }.items()
    }
    truth, unit = answers.pop("all"), X.std().to_numpy()
    off = {name: ((x - truth) / unit) ** 2 for name, x in answers.items()}
    moved = float(np.sqrt((((truth - rows.to_numpy()) / unit) ** 2).mean()))
    return {"moved": moved} | {name: float(np.sqrt(x.mean())) for name, x in off.items()}


if __name__ == "__main__":
    main()
