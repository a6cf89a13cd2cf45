"""How many images per second do the built-in renderers draw? `--json` prints one JSON object.

By the clock, and by the processor's time, which a busy machine disturbs less. NumPy works on one
core here. What is made once (views of the room, fields of the creatures) is timed apart.
"""

import argparse
import json
import time

import numpy as np

from elsewhere.datasets.pictures.causal3dident import stage_of
from elsewhere.datasets.pictures.ident_mechanisms import draw_noise, latents_of
from elsewhere.datasets.pictures.scenes.stage import draw_stage
from elsewhere.datasets.pictures.shapes3d import draw_shapes

IMAGES = 2_100


def shapes_job(size):
    rng = np.random.default_rng(0)
    factors = np.stack([rng.integers(0, k, IMAGES) for k in (10, 10, 10, 15)])
    shapes = rng.integers(0, 4, IMAGES)
    return lambda: draw_shapes(shapes, factors, size)


def ident_job(size):
    noise = draw_noise(np.random.default_rng(0), IMAGES)
    stage = stage_of(noise.classes, latents_of(noise, np.arange(IMAGES) % 2))
    return lambda: draw_stage(stage, size)


def measured(job):
    begin = time.perf_counter()
    job()
    first = time.perf_counter() - begin
    begin, begin_cpu = time.perf_counter(), time.process_time()
    job()
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    return {
        "first_seconds": round(first, 2),
        "images_per_second": round(IMAGES / seconds),
        "images_per_cpu_second": round(IMAGES / cpu),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--size", type=int, default=64)
    options = parser.parse_args()
    jobs = {"3D Shapes": shapes_job, "Causal3DIdent": ident_job}
    found = {name: measured(job(options.size)) for name, job in jobs.items()}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, row in found.items():
        print(
            f"{name:14s} {options.size} × {options.size}: {row['images_per_second']} images/s, "
            f"{row['images_per_cpu_second']} a second of processor time "
            f"({IMAGES} images for the first time: {row['first_seconds']} s)"
        )


if __name__ == "__main__":
    main()
