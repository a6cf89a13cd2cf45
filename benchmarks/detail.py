"""Is what a decoder cannot draw carried along where that is right, and what does it gain?

python benchmarks/detail.py --mnist data/mnist --out results/benchmarks/detail.json

Two domains of images, each of another half of the things; codes are 20 principal components, and
are moved as the truth has it, so that only the choice of detail is judged. Entries: the share of
x − decode(z) that would be best, known from the truth; the share that `detail_shares` chooses
without it; squared pixel error and sharpness of answers without detail, as chosen, and with all.
"""

import argparse
import json
import sys
from pathlib import Path

import jax
import numpy as np

from elsewhere.datasets.pictures import rendered_ident, rendered_shapes, rotated_mnist
from elsewhere.datasets.pictures.image_data import as_floats
from elsewhere.experiments.provenance import provenance
from elsewhere.files import write_whole
from elsewhere.images.detail import detail_shares
from elsewhere.images.sharpness import sharpness

M, THINGS = 20, 800


class Components:
    """An autoencoder that reads and draws principal components."""

    def __init__(self, images):
        self.shape = images.shape[1:]
        flat = images.reshape(len(images), -1)
        self.mean = flat.mean(axis=0)
        self.axes = np.linalg.svd(flat - self.mean, full_matrices=False)[2][:M]

    def read(self, images):
        return (images.reshape(len(images), -1) - self.mean) @ self.axes.T

    def decode(self, z):
        return np.clip(z @ self.axes + self.mean, 0, 1).reshape(len(z), *self.shape)


class Truth:
    """Codes of the true counterfactual, found by the code that they have before."""

    domains = (0, 1)

    def __init__(self, *codes):
        self.codes = codes

    def move(self, x, *, d, d_prime):
        nearest = [int(np.argmin(np.square(self.codes[d] - z).sum(axis=1))) for z in x]
        return self.codes[d_prime][nearest]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mnist", type=Path, help="folder of MNIST's files")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--out", type=Path, help="a JSON file")
    choices = parser.parse_args()
    rows = []
    for seed in range(choices.seeds):
        for name, (x, truth) in worlds(choices.mnist, seed).items():
            rows.append({"world": name, "seed": seed} | judged(x, truth, seed))
            print(rows[-1], flush=True)
    if choices.out:
        made_by = provenance(" ".join(["python", *sys.argv]), range(choices.seeds))
        text = json.dumps({"made_by": made_by, "rows": rows}, indent=1) + "\n"
        write_whole(choices.out, text.encode())
    print(table(rows))


def worlds(folder, seed):
    """Images in one domain, and the same in another, by name."""
    key = jax.random.key(seed)
    digits = rotated_mnist(key, "mnist", folder, digits=6 * THINGS).train
    first = digits.rows_of(0)[:THINGS]
    x = as_floats(digits.images[first])
    found = {f"digits, turned by {15 * d}°": (x, digits.counterfactual(first, d)) for d in (1, 4)}
    found["digits, darker (0.9 x)"] = x, 0.9 * x
    found["digits, grey (0.6 x + 0.2)"] = x, 0.6 * x + 0.2
    found["digits, another gamma (x^1.3)"] = x, x**1.3
    found["digits, inverted (1 − x)"] = x, 1 - x
    for name, data in (
        ("scenes, another hue behind", rendered_ident(key, 2 * THINGS, size=28).train),
        ("rooms, another shape", rendered_shapes(key, 2 * THINGS, size=28).train),
    ):
        rows = data.rows_of(0)[:THINGS]
        found[name] = data.images[rows], data.counterfactual(rows, 1)
    return {name: tuple(map(as_floats, pair)) for name, pair in found.items()}


def judged(x, truth, seed):
    """From the first domain to the second; the first half is seen in one, the rest in the other."""
    coder, half = Components(np.concatenate([x, truth])), len(x) // 2
    before, after = coder.read(x), coder.read(truth)
    seen, domains = np.concatenate([x[:half], truth[half:]]), np.repeat([0, 1], half)
    shares = detail_shares(coder, Truth(before, after), seen, domains, np.random.default_rng(seed))
    chosen = 0.0 if shares is None else float(shares[0, 1])
    missing, plain = x - coder.decode(before), coder.decode(after)
    best = float((missing * (truth - plain)).sum() / np.square(missing).sum())
    row = {"best": best, "chosen": chosen}
    for name, share in (("without", 0.0), ("as chosen", chosen), ("with all", 1.0)):
        answer = np.clip(plain + share * missing, 0, 1)
        error = float(np.square(answer - truth).sum(axis=(1, 2, 3)).mean())
        row[name] = {"error": error, "sharpness": sharpness(answer) / sharpness(truth)}
    return row


def table(rows):
    """Means over seeds."""
    answers = ("without", "as chosen", "with all")
    lines = ["| | best share | chosen | " + " | ".join(answers) + " |", "|---" * 6 + "|"]
    for world in dict.fromkeys(row["world"] for row in rows):
        some = [row for row in rows if row["world"] == world]
        cells = [f"{np.mean([row[name] for row in some]):.2f}" for name in ("best", "chosen")]
        for name in answers:
            error, sharp = (np.mean([r[name][s] for r in some]) for s in ("error", "sharpness"))
            cells.append(f"{error:.2f} ({sharp:.2f})")
        lines.append(f"| {world} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
