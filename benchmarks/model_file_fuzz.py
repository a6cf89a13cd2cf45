"""Does every wrong model file end in one error, in under a second, with little memory?

python benchmarks/model_file_fuzz.py --cases 100000 --out results/benchmarks/model_file_fuzz.json

Every case changes one to four things of a good file (see mutations.py) and makes the checksum
right. It must be refused with `ModelFileError`, or be read and then answer finitely or with a
ValueError of one line. What a run of --seconds did not reach, the next one goes on with.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import jax
import numpy as np

from elsewhere.estimators.base import CounterfactualEstimator
from elsewhere.experiments.provenance import provenance
from elsewhere.saving import ModelFileError
from mutations import mutated, taken_apart
from small_models import KINDS

SLOW = 1.0  # seconds
MEMORY = Path("/dev/shm")  # where files cost no disk
CLEARED = 5_000  # cases after which what JAX compiled is forgotten


def main():
    choices = arguments()
    done = json.loads(choices.out.read_text())["kinds"] if choices.out.exists() else {}
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    share = choices.seconds / len(choices.kinds)
    for kind in choices.kinds:
        done[kind] = fuzz(kind, done.get(kind) or blank(), choices.cases, share)
        keep(done, choices.out)
        print(kind, json.dumps(done[kind]))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="of each kind")
    parser.add_argument("--kinds", nargs="+", default=[*KINDS], choices=[*KINDS])
    parser.add_argument("--seconds", type=float, default=270.0)
    parser.add_argument("--out", type=Path, required=True, help="a JSON file, also read")
    return parser.parse_args()


def blank():
    return {
        "cases": 0,
        "refused": 0,
        "answered": 0,
        "answers_refused": 0,
        "slow": 0,
        "slowest_seconds": 0.0,
        "errors_of_another_type": 0,
        "answers_not_finite": 0,
        "megabytes_above_import": 0.0,
        "examples": [],
    }


def fuzz(kind, found, cases, seconds):
    build, ask = KINDS[kind]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder) / "a.model"
        build().save(path)
        for _ in ask(CounterfactualEstimator.load(path)):
            pass  # compile
        good, before, end = taken_apart(path.read_bytes()), peak(), time.monotonic() + seconds
        while found["cases"] < cases and time.monotonic() < end:
            path.write_bytes(mutated(*good, found["cases"]))
            verdict = judge(path, ask, found)
            found["cases"] += 1
            found[verdict] += 1
            if verdict not in ("refused", "answered", "answers_refused"):
                found["examples"] = (found["examples"] + [[verdict, found["cases"] - 1]])[:20]
            if found["cases"] % CLEARED == 0:
                jax.clear_caches()
    above = max(found["megabytes_above_import"], round(peak() - before, 1))
    return found | {"megabytes_above_import": above}


def judge(path, ask, found):
    start = time.perf_counter()
    verdict, estimator = "refused", None
    try:
        estimator = CounterfactualEstimator.load(path)
    except ModelFileError as error:
        verdict = "refused" if one_line(error) else "errors_of_another_type"
    except Exception:
        verdict = "errors_of_another_type"
    took = time.perf_counter() - start
    found["slowest_seconds"] = max(found["slowest_seconds"], round(took, 3))
    if took > SLOW:
        found["slow"] += 1
        found["examples"] = (found["examples"] + [["slow", found["cases"]]])[:20]
    return verdict if estimator is None else answers(estimator, ask)


def answers(estimator, ask):
    try:
        finite = all(np.isfinite(np.asarray(answer, float)).all() for answer in ask(estimator))
        return "answered" if finite else "answers_not_finite"
    except ValueError as error:
        return "answers_refused" if one_line(error) else "errors_of_another_type"
    except Exception:
        return "errors_of_another_type"


def one_line(error):
    return len(str(error).splitlines()) == 1


def peak():
    """Megabytes that this process has ever had in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def keep(done, out):
    total = Counter()
    for found in done.values():
        total.update({n: v for n, v in found.items() if isinstance(v, int)})
    made_by = provenance(" ".join(["python", "benchmarks/model_file_fuzz.py", *sys.argv[1:]]))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"made_by": made_by, "total": total, "kinds": done}, indent=1) + "\n")


if __name__ == "__main__":
    main()
