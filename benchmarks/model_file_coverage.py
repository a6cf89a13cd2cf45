"""Does a search that follows the lines it reaches find a model file that gets through?

pip install atheris
python benchmarks/model_file_coverage.py --kinds moments gaps --seconds 600 --out results/…

`model_file_fuzz.py` changes good files blindly; here Atheris keeps every changed file that makes
the readers run a line they have not run before, and changes it further, with the same changes (see
mutations.py). A file must be refused with `ModelFileError`, or be read and then answer finitely or
with a ValueError of one line, each in under a second of this process. The kinds share the time;
each is a process of its own, for Atheris ends the one that it runs in.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from unittest import mock

import atheris
import numpy as np

with atheris.instrument_imports(include=["elsewhere"]):
    import elsewhere.covariates.file
    import elsewhere.gaps.model
    import elsewhere.saving.additive
    import elsewhere.saving.couplings
    import elsewhere.saving.gaps
    import elsewhere.saving.images
    import elsewhere.saving.models
    import elsewhere.saving.moments  # noqa: F401 - all that reads, before the search begins
    from elsewhere.estimators.base import CounterfactualEstimator
    from elsewhere.experiments.provenance import provenance
    from elsewhere.scikit_learn import load_later
from model_file_fuzz import AS_PROMISED, blank, judge
from mutations import mutated, put_together, taken_apart
from small_models import KINDS, OF_IMAGES

LONGEST = 1 << 20  # bytes of a changed file
REACHED = "cov: "  # how libFuzzer says how many places were reached
WRITTEN = 100  # cases after which what was found is written: nobody is told of the end


def main():
    choices = arguments()
    share = choices.seconds // len(choices.kinds)
    if choices.alone:
        Search(choices.kinds[0], choices.alone).run(share)
        return
    made_by = provenance(" ".join(["python", "benchmarks/model_file_coverage.py", *sys.argv[1:]]))
    choices.out.parent.mkdir(parents=True, exist_ok=True)
    kinds = {kind: apart(kind, share, choices.out) for kind in choices.kinds}
    whole = {"made_by": made_by, "files": total(kinds), "kinds": kinds}
    choices.out.write_text(json.dumps(whole, indent=1) + "\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="+", default=[*KINDS], choices=[*KINDS])
    parser.add_argument("--seconds", type=int, default=600, help="in all")
    parser.add_argument("--out", type=Path, help="a JSON file; what got through lies beside it")
    parser.add_argument("--alone", type=Path, help="search one kind, in this process")
    return parser.parse_args()


def apart(kind, seconds, out):
    """What a process of its own found, and how much of the code it reached."""
    with tempfile.TemporaryDirectory() as folder:
        given = ["--kinds", kind, "--seconds", str(seconds), "--alone", folder]
        done = subprocess.run([sys.executable, __file__, *given], stderr=subprocess.PIPE, text=True)
        counts = json.loads((Path(folder) / "counts.json").read_text())
        for path in Path(folder).glob("through-*"):
            shutil.copy(path, out.with_name(f"{kind}-{path.name}"))
    reached = [line for line in done.stderr.splitlines() if REACHED in line]
    places = [int(line.split(REACHED)[1].split()[0]) for line in (reached[0], reached[-1])]
    row = counts | {"places_at_first": places[0], "places_at_end": places[1]}
    print(kind, json.dumps(row), flush=True)
    return row


def total(kinds):
    """The counts of tables and of images."""
    files = {"table": Counter(), "image": Counter()}
    for kind, row in kinds.items():
        counts = {name: n for name, n in row.items() if not name.startswith("places")}
        files["image" if kind in OF_IMAGES else "table"].update(counts)
    return files


class Search:
    """One kind of file, changed until the time is over."""

    def __init__(self, kind, folder):
        self.folder, self.path = folder, folder / "a.model"
        build, self.ask = KINDS[kind]
        self.found, self.counts = blank(), Counter()
        with small_networks():
            build().save(self.path)
            for _ in self.ask(CounterfactualEstimator.load(self.path)):
                pass  # compile
        self.good = self.path.read_bytes()

    def run(self, seconds):
        warnings.simplefilter("ignore")
        load_later()  # as commands do
        np.seterr(all="ignore")
        corpus = self.folder / "corpus"
        corpus.mkdir()
        (corpus / "good").write_bytes(rest(self.good))
        limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=60", "-seed=1"]
        atheris.Setup([sys.argv[0], str(corpus), *limits], self.case, custom_mutator=self.change)
        atheris.Fuzz()

    def case(self, data):
        self.path.write_bytes(put_together(*halves(data)))
        with small_networks():
            verdict = judge(self.path, self.ask, self.found)
        self.counts[verdict] += 1
        cases = self.counts.total()
        if verdict not in AS_PROMISED:
            shutil.copy(self.path, self.folder / f"through-{cases}-{verdict}.model")
        if cases % WRITTEN == 1:
            (self.folder / "counts.json").write_text(json.dumps(self.counts))

    def change(self, data, most, seed):
        """One to four changes more, or of the good file, where this one cannot take them."""
        try:
            return rest(mutated(*taken_apart(put_together(*halves(data))), seed))[:most]
        except Exception:
            return rest(mutated(*taken_apart(self.good), seed))[:most]


def small_networks():
    """Of images: hidden layers of 16 units."""
    return mock.patch("elsewhere.images.coders._HIDDEN", 16)


def rest(content):
    """A file without its first line and its checksum."""
    return content.split(b"\n", 2)[2]


def halves(data):
    """The header and the arrays."""
    line, _, arrays = data.partition(b"\n")
    return line, arrays


if __name__ == "__main__":
    main()
