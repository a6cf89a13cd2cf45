"""Do distances between images tell which images of two domains are the same thing?

How often the class is right where every image is taken, by a match of 3 × 256 images of each
domain, to the image of the next domain that looks most like what the match has it look like; least
and mean over keys. Classes are used for judging only. By the autoencoders that `elsewhere
reproduce` keeps in DIR/cache (those not there are trained first):

    python benchmarks/matches.py I3 --draws 0,1,2 --out DIR --data-dir DATA
"""

import argparse
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.experiments.images.settings import load, setting_of
from elsewhere.experiments.images.store import RunStore
from elsewhere.images.appearance import learn_appearance
from elsewhere.images.matching import match_domains
from elsewhere.images.neighbours import nearest_domains

IMAGES = 1_000  # of each domain
KEYS = 3


def agreement(match, looks, z, domains, classes):
    """The share of images whose class is that of the image they are taken to, for every way."""
    shares = []
    for d, target in match.ways:
        here, there = (np.flatnonzero(domains == e)[:IMAGES] for e in (d, target))
        ways = jnp.full(len(here), d), jnp.full(len(here), target)
        moved = np.asarray(match(looks(jnp.asarray(z[here])), *ways))
        known = np.asarray(looks(jnp.asarray(z[there])))
        nearest = np.linalg.norm(moved[:, None] - known, axis=2).argmin(axis=1)
        shares.append((classes[there][nearest] == classes[here]).mean())
    return np.mean(shares)


def measured(name, draw, out, directory):
    setting = setting_of(name, draw=draw)
    data = load(setting, directory)
    codes, train = RunStore(out / "cache" / name, setting, data).codes(), data.train
    edges = nearest_domains(codes.mean, train.domains, train.num_domains)
    shares, start = [], time.perf_counter()
    for key in map(jax.random.key, range(KEYS)):
        looks = learn_appearance(key, codes, train.images)
        match = match_domains(jax.random.fold_in(key, 1), looks, codes, train.domains, edges)
        shares.append(agreement(match, looks, codes.mean, train.domains, train.classes))
    return min(shares), np.mean(shares), (time.perf_counter() - start) / KEYS


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="+")
    parser.add_argument("--draws", default="0")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--data-dir", type=Path)
    given = parser.parse_args()
    print(f"{'':6}{'draw':>6}{'least':>8}{'mean':>8}{'seconds':>9}")
    for name in given.names:
        for draw in map(int, given.draws.split(",")):
            least, mean, seconds = measured(name, draw, given.out, given.data_dir)
            print(f"{name:6}{draw:6}{least:8.3f}{mean:8.3f}{seconds:9.1f}", flush=True)


if __name__ == "__main__":
    main()
