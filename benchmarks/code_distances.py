"""Is the code of the true counterfactual nearer than that of another image of its domain?

Where it is, "least change" finds it; where it is not, it cannot. Mean squared changes of a code, in
standard deviations, from one domain to the next, by the autoencoders that `elsewhere reproduce`
keeps in DIR/cache (those not there are trained first):

    python benchmarks/code_distances.py I1 I3 I4 I5 --out DIR --data-dir DATA
"""

import argparse
from pathlib import Path

import numpy as np

from elsewhere.experiments.images.settings import load, setting_of
from elsewhere.experiments.images.store import RunStore, judged

IMAGES = 400  # of each domain


def distances(name, out, directory):
    """(to the truth, to another image), averaged over pairs of domains next to each other."""
    setting = setting_of(name)
    data = load(setting, directory)
    store, test = RunStore(out / "cache" / name, setting, data), judged(data.test, IMAGES)
    deviation, rng = store.codes().mean.std(axis=0), np.random.default_rng(0)
    autoencoder = store.autoencoder()
    encode = lambda images: autoencoder.encode(images).mean / deviation  # noqa: E731
    pairs = []
    for d in range(test.num_domains - 1):
        rows = test.rows_of(d)
        start, truth = encode(test.images[rows]), encode(test.counterfactual(rows, d + 1))
        pairs.append(
            [np.square(z - start).sum(axis=1).mean() for z in (truth, rng.permutation(truth))]
        )
    return np.mean(pairs, axis=0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="+")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--data-dir", type=Path)
    given = parser.parse_args()
    print(f"{'':6}{'truth':>8}{'another image':>16}")
    for name in given.names:
        truth, other = distances(name, given.out, given.data_dir)
        print(f"{name:6}{truth:8.1f}{other:16.1f}", flush=True)


if __name__ == "__main__":
    main()
