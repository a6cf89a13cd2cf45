"""How fast is a step of training through stride-2 and transposed convolutions, ours and others'?

Forward, backward and a step of gradient descent through an encoder and its mirror image, batch
256, float32. Twenty steps are one call, as everything here is trained: XLA asks the system for
new memory at every call, and a call of one step (`--steps 1`) pays as much for that as for its
arithmetic. XLA's own convolutions are slower still in a loop, and so have a call for every step.
The contenders take turns, so that a busy machine is as unkind to each. `--json` prints one JSON
object. PyTorch takes part where it can be imported.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.images.descent import CHUNK
from elsewhere.images.layers import down, up

BATCH = 256
RATE = 1e-3
NETWORKS = {"28 × 28": (28, (1, 32, 64)), "64 × 64": (64, (3, 32, 32, 64, 64))}
LAYOUT = ("NHWC", "HWIO", "NHWC")


def xla_down(x, weight):
    return jax.lax.conv_general_dilated(
        x, weight, (2, 2), ((1, 1), (1, 1)), dimension_numbers=LAYOUT
    )


def xla_up(x, weight):
    return jax.lax.conv_general_dilated(
        x, weight[::-1, ::-1], (1, 1), ((2, 2), (2, 2)), (2, 2), dimension_numbers=LAYOUT
    )


def jax_steps(down, up, size, channels, steps):
    rng = np.random.default_rng(0)
    normal = lambda *shape: jnp.asarray(rng.standard_normal(shape, dtype=np.float32))  # noqa: E731
    x, back = normal(BATCH, size, size, channels[0]), channels[::-1]
    weights = [[0.1 * normal(4, 4, a, b) for a, b in zip(c, c[1:])] for c in (channels, back)]  # noqa: B905

    def loss(weights, x):
        y = x
        for layer, kernels in zip((down, up), weights, strict=True):
            for kernel in kernels:
                y = jax.nn.relu(layer(y, kernel))
        return jnp.mean((y - x) ** 2)

    def step(weights, _=None):
        return jax.tree.map(lambda p, g: p - RATE * g, weights, jax.grad(loss)(weights, x)), None

    @jax.jit
    def run(weights):
        return step(weights) if steps == 1 else jax.lax.scan(step, weights, None, steps)

    return lambda: jax.block_until_ready(run(weights))


def torch_steps(size, channels, steps):
    import torch
    from torch import nn

    torch.set_num_threads(cores())
    layers = []
    for kind, c in ((nn.Conv2d, channels), (nn.ConvTranspose2d, channels[::-1])):
        for a, b in zip(c, c[1:]):  # noqa: B905
            layers += [kind(a, b, 4, 2, 1, bias=False), nn.ReLU()]
    network = nn.Sequential(*layers).to(memory_format=torch.channels_last)
    descent = torch.optim.SGD(network.parameters(), RATE)
    x = torch.randn(BATCH, channels[0], size, size).to(memory_format=torch.channels_last)

    def run():
        for _ in range(steps):
            descent.zero_grad()
            ((network(x) - x) ** 2).mean().backward()
            descent.step()

    return run


def cores():
    import os

    return len(os.sched_getaffinity(0))


def contenders(size, channels, steps):
    """By name: a call, and how many steps it takes."""
    found = {
        "ours": (jax_steps(down, up, size, channels, steps), steps),
        "XLA": (jax_steps(xla_down, xla_up, size, channels, 1), 1),
    }
    try:
        found["PyTorch"] = torch_steps(size, channels, steps), steps
    except ImportError:
        print("PyTorch is not installed: left out.")
    return found


def race(contenders, rounds):
    """The least milliseconds a step of each, over rounds in which they take turns."""
    seconds = {name: [] for name in contenders}
    for run, _ in contenders.values():
        run()
    for _ in range(rounds):
        for name, (run, steps) in contenders.items():
            begin = time.perf_counter()
            run()
            seconds[name].append((time.perf_counter() - begin) / steps)
    return {name: round(1e3 * min(times), 1) for name, times in seconds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=CHUNK, help="in one call")
    options = parser.parse_args()
    found = {
        n: race(contenders(*net, options.steps), options.rounds) for n, net in NETWORKS.items()
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, times in found.items():
        row = ", ".join(
            f"{who} {ms:.0f} ms ({ms / times['ours']:.1f}×)" for who, ms in times.items()
        )
        print(f"{name}: {row}")


if __name__ == "__main__":
    main()
