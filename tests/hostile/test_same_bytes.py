"""The same seed gives the same model file in any process, with one thread or two."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd


def test_processes_threads_and_hash_seeds_make_no_difference(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((300, 4)), columns=[*"abcd"])
    frame["site"] = np.repeat(["north", "south", "west"], 100)
    frame.loc[:99, "a"] += 1
    frame.to_csv(tmp_path / "d.csv", index=False)
    made = [model_by(tmp_path, threads, hashes) for threads, hashes in (("1", "1"), ("2", "2"))]
    assert made[0] == made[1]


def model_by(folder, threads, hashes):
    out = folder / f"{threads}.model"
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    env = os.environ | dict.fromkeys(names, threads) | {"PYTHONHASHSEED": hashes}
    words = ["fit", "d.csv", "--domain", "site", "--mixing", "moments", "--out", str(out)]
    subprocess.run([sys.executable, "-m", "elsewhere", *words], cwd=folder, env=env, check=True)
    return out.read_bytes()
