"""Does every wrong model file end in one error, in under a second, with little memory?

python benchmarks/model_file_fuzz.py --cases 100000 --out results/benchmarks/model_file_fuzz.json

Every case changes one to four things of a good file (see mutations.py) and makes the checksum
right. It must be refused with `ModelFileError`, or be read and then answer finitely or with a
ValueError of one line, each in under a second of this process (an answer that takes longer is asked
for again, for the first time compiles). Networks of images have hidden layers of 16 units instead
of 256, so that a file is small. The cases of a kind are seeds 0, 1, …; what a run of --seconds did
not reach, the next run of the same commit goes on with.
"""

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from unittest import mock

import jax
import numpy as np

from elsewhere.checkout import commit
from elsewhere.estimators.base import CounterfactualEstimator
from elsewhere.experiments.provenance import provenance
from elsewhere.saving import ModelFileError
from elsewhere.scikit_learn import load_later
from mutations import mutated, taken_apart
from small_models import KINDS, OF_IMAGES

SLOW = 1.0  # seconds
MEMORY = Path("/dev/shm")  # where files cost no disk
CLEARED = 5_000  # cases after which what JAX compiled is forgotten
KEPT = 500  # cases after which what was found is written
AS_PROMISED = ("refused", "answered", "answers_refused")


def main():
    choices = arguments()
    done = before(choices.out)
    warnings.simplefilter("ignore")
    load_later()  # as commands do, which are what meets a stranger's file
    np.seterr(all="ignore")
    share = choices.seconds / len(choices.kinds)
    for kind in choices.kinds:
        with mock.patch("elsewhere.images.coders._HIDDEN", 16):
            for found in fuzz(kind, earlier(done.get(kind)), choices.cases, share):
                done[kind] = found | {"made_by": made_by()}
                keep(done, choices.out)
        print(kind, json.dumps(found), flush=True)


def made_by():
    return provenance(" ".join(["python", "benchmarks/model_file_fuzz.py", *sys.argv[1:]]))


def before(out):
    """What earlier runs found, by kind."""
    return json.loads(out.read_text())["kinds"] if out.exists() else {}


def earlier(found):
    """What this commit found of a kind so far."""
    mine = found and found.get("made_by", {}).get("commit") == commit()
    return {name: found[name] for name in blank()} if mine else blank()


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
        "slowest_load_seconds": 0.0,
        "slowest_answer_seconds": 0.0,
        "errors_of_another_type": 0,
        "answers_not_finite": 0,
        "megabytes_above_import": 0.0,
        "examples": [],
    }


def fuzz(kind, found, cases, seconds):
    """What was found so far, now and then, so that a run that is stopped loses little."""
    build, ask = KINDS[kind]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        path = Path(folder) / "a.model"
        build().save(path)
        for _ in ask(CounterfactualEstimator.load(path)):
            pass  # compile
        good, end = taken_apart(path.read_bytes()), time.monotonic() + seconds
        at_first = peak_from_now()
        while found["cases"] < cases and time.monotonic() < end:
            path.write_bytes(mutated(*good, found["cases"]))
            note(found, judge(path, ask, found))
            if found["cases"] % CLEARED == 0:
                jax.clear_caches()
            if found["cases"] % KEPT == 0:
                yield found | above(found, at_first)
    yield found | above(found, at_first)


def above(found, at_first):
    more = round(peak() - at_first, 1)
    return {"megabytes_above_import": max(found["megabytes_above_import"], more)}


def note(found, verdict):
    """Count a case; those that break the promise are named by their seed."""
    if verdict not in AS_PROMISED:
        found["examples"] = (found["examples"] + [[verdict, found["cases"]]])[:20]
    found["cases"] += 1
    found[verdict] += 1


def judge(path, ask, found):
    (verdict, estimator), took = timed(loaded, path)
    found["slowest_load_seconds"] = max(found["slowest_load_seconds"], took)
    if estimator is not None:
        verdict, took = timed(answers, estimator, ask)
        if took > SLOW:  # it compiled
            verdict, took = timed(answers, estimator, ask)
        found["slowest_answer_seconds"] = max(found["slowest_answer_seconds"], took)
    return "slow" if took > SLOW else verdict


def timed(function, *arguments):
    start = time.process_time()
    return function(*arguments), round(time.process_time() - start, 3)


def loaded(path):
    """(verdict, None) of a file that is refused, (None, estimator) of one that is read."""
    try:
        return None, CounterfactualEstimator.load(path)
    except ModelFileError as error:
        return ("refused" if one_line(error) else "errors_of_another_type"), None
    except Exception:
        return "errors_of_another_type", None


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


def peak_from_now():
    """Megabytes in memory, from which on the peak is counted."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak():
    """Megabytes that this process has had in memory at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (most,) = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(most) / 1024


def keep(done, out):
    """Write what was found of each kind, and the sums for files of tables and of images."""
    files = {"table": Counter(), "image": Counter()}
    for kind, found in done.items():
        counts = {name: v for name, v in found.items() if isinstance(v, int)}
        files["image" if kind in OF_IMAGES else "table"].update(counts)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"files": files, "kinds": done}, indent=1) + "\n")


if __name__ == "__main__":
    main()
