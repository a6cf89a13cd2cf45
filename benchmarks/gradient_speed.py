"""How many gradient steps per second: the paper's recipe, and RealNVP fits, at m = 6, D = 3.

Compile time apart. `--json` prints one JSON object instead of a table.
"""

import argparse
import json
import time

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.fitting.gradient.mixing import mixing_maker
from elsewhere.fitting.gradient.model import initial, mean_log_prob, sharing, statics
from elsewhere.fitting.gradient.restarts import stack
from elsewhere.fitting.gradient.steps import TICK, Ascent, run_chunk, start, wrap_rows
from elsewhere.fitting.paper.steps import LOOK, recipe_start, run_recipe

M, D, N, BATCH = 6, 3, 100_000, 500


def timed(advance, state, chunks=3):
    """(seconds to compile and run once, best seconds of a chunk afterwards)."""
    begin = time.perf_counter()
    state = jax.block_until_ready(advance(state))
    first, seconds = time.perf_counter() - begin, []
    for _ in range(chunks):
        begin = time.perf_counter()
        state = jax.block_until_ready(advance(state))
        seconds.append(time.perf_counter() - begin)
    return first - min(seconds), min(seconds)


def recipe(fits):
    rng, rows = np.random.default_rng(0), jnp.arange(M) >= M - 2
    shape = (fits, N // BATCH, M, D, BATCH)
    blocks = jnp.asarray(rng.standard_normal(shape, dtype=np.float32))
    valid = blocks[:, :2].transpose(0, 2, 3, 1, 4).reshape(fits, M, D, -1)
    state = recipe_start(jax.random.split(jax.random.key(0), fits), M, D)
    zero = jnp.asarray(0)
    return *timed(lambda s: run_recipe(s, rows, blocks, valid, zero), state), LOOK * fits


def flow(restarts, couplings):
    maker = mixing_maker("real_nvp", couplings=couplings)
    x = jnp.asarray(np.random.default_rng(0).standard_normal((M, D, N), dtype=np.float32))
    fixed, share = statics(maker, "linear", M), sharing(M, D, 2, "canonical")
    numbers = [jnp.asarray(a) for a in (5.0, 0.0)]
    rows = (wrap_rows(x, BATCH), x[..., :1000], *numbers, BATCH)
    ascent = Ascent(mean_log_prob, mean_log_prob, (fixed, share), *rows)
    keys = jax.random.split(jax.random.key(0), restarts)
    state = start(stack([initial(k, maker, "linear", M, D, 0.1) for k in keys]), ascent.clip)
    zero, rates = jnp.asarray(0), jnp.full(TICK, 1e-3)
    return *timed(lambda s: run_chunk(s, ascent, zero, rates)[0], state), TICK * restarts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = {
        "recipe, 1 fit": lambda: recipe(1),
        "recipe, 10 fits": lambda: recipe(10),
        "real_nvp 4 couplings, 1 restart": lambda: flow(1, 4),
        "real_nvp 4 couplings, 4 restarts": lambda: flow(4, 4),
        "real_nvp 8 couplings, 1 restart": lambda: flow(1, 8),
    }
    found = {}
    for name, case in cases.items():
        compile_seconds, seconds, steps = case()
        found[name] = {
            "compile_seconds": round(compile_seconds, 2),
            "model_steps_per_second": round(steps / seconds),
        }
        if not options.json:
            print(
                f"{name:35s} compile {compile_seconds:5.1f} s, {steps / seconds:8.0f} model-steps/s"
            )
    if options.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
