"""How well do the small classifiers tell digits and rotations of RMNIST, sharp and blurred?

Needs MNIST: `--data` or ELSEWHERE_DATA, else it is downloaded. `--json` prints one JSON object.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.datasets.pictures import rotated_mnist
from elsewhere.images.filters import BLURRIER_FILTERS, PAPER_FILTERS, filtered, gaussian_kernels
from elsewhere.images.training import train_classifier


def blurred(images, sigma):
    kernels = gaussian_kernels(jnp.full(len(images), sigma), 9, 9)
    return np.asarray(jax.jit(filtered)(images, kernels))


def measured(train, test, what, filters, steps, seed):
    labels = {"digit": lambda d: d.classes, "rotation": lambda d: d.domains}[what]
    count = len({"digit": train.class_names, "rotation": train.domain_names}[what])
    begin, begin_cpu = time.perf_counter(), time.process_time()
    classifier = train_classifier(
        jax.random.key(seed),
        train.images,
        labels(train),
        count,
        steps=steps,
        filters=filters,
    )
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    x, y = test.floats(), labels(test)
    return {
        "seconds": round(seconds),
        "cpu_seconds": round(cpu),
        "clean": classifier.accuracy(x, y),
        "blur σ = 1": classifier.accuracy(blurred(x, 1.0), y),
        "blur σ = 1.5": classifier.accuracy(blurred(x, 1.5), y),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="the folder with MNIST's four files")
    parser.add_argument("--steps", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    splits = rotated_mnist(jax.random.key(0), directory=options.data)
    test = splits.test.take(np.random.default_rng(0).choice(len(splits.test), 10_000, False))
    cases = {
        "digit, the paper's filters": ("digit", PAPER_FILTERS),
        "rotation, the paper's filters": ("rotation", PAPER_FILTERS),
        "rotation, more blur": ("rotation", BLURRIER_FILTERS),
    }
    found = {}
    for name, case in cases.items():
        found[name] = measured(splits.train, test, *case, options.steps, options.seed)
        if not options.json:
            row = ", ".join(
                f"{k} {v:.3f}" if v <= 1 else f"{k} {v}" for k, v in found[name].items()
            )
            print(f"{name}: {row}", flush=True)
    if options.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
