"""How far does an autoencoder come in so many steps of Adam and of Muon?

python benchmarks/optimisers.py [--steps 800] [--images 4000]

Rendered creatures of 32 × 32 pixels, the β-VAE's coders, a code of 20 numbers; each line is the
squared error of new images after a whole training, whose rate falls to 0, and the time it took.
"""

import argparse
import os
import time

import jax
import numpy as np

from elsewhere.datasets.pictures import rendered_ident
from elsewhere.images.elbo import CoderSettings, train_autoencoder

RATES = {"adam": (1e-3, 2e-3, 4e-3), "muon": (2e-3, 4e-3, 8e-3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=800)
    parser.add_argument("--images", type=int, default=4_000, help="of each domain")
    chosen = parser.parse_args()
    data = rendered_ident(jax.random.key(0), chosen.images, size=32)
    print(f"cores {os.cpu_count()}, load {os.getloadavg()[0]:.1f}, steps {chosen.steps}")
    print("optimiser     rate  squared error  seconds")
    for optimiser, rates in RATES.items():
        for rate in rates:
            how = CoderSettings(beta=0.01, steps=chosen.steps, rate=rate, optimiser=optimiser)
            error, seconds = measure(data, how)
            print(f"{optimiser:9} {rate:8.0e}  {error:13.2f}  {seconds:7.0f}", flush=True)


def measure(data, how):
    start = time.perf_counter()
    model = train_autoencoder(jax.random.key(1), data.train.images, 20, how)
    seconds, x = time.perf_counter() - start, data.test.floats()
    again = model.decode(model.encode(data.test.images).mean)
    return np.square(again - x).sum(axis=(1, 2, 3)).mean(), seconds


if __name__ == "__main__":
    main()
