"""Files made wrong on purpose, checksum right: one error type, little time, and finite answers."""

import json
import os
import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from elsewhere.cli.labels import check_labels
from elsewhere.estimators.base import CounterfactualEstimator
from elsewhere.saving import ModelFileError, Reader, read_model, write_model

for module in ("couplings", "images", "models"):
    import_module(f"elsewhere.saving.{module}")  # before anything is timed
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
from mutations import MAGIC, mutated, put_together, taken_apart  # noqa: E402
from small_models import KINDS  # noqa: E402

# how many files are read, and how many of those that can be are asked
CASES = {
    "moments": (1000, 20),
    "kept": (300, 10),
    "gaps": (300, 10),
    "crossed": (200, 10),
    "zeros": (200, 10),
    "sums": (200, 10),
    "levels": (300, 20),
    "paired": (200, 10),
    "bounds": (200, 10),
    "linear": (300, 5),
    "curved": (200, 5),
    "image": (100, 0),
}
SLOW = 1.0  # seconds of this process


@pytest.fixture(scope="module", params=CASES)
def kind(request, tmp_path_factory):
    """(how to ask, the good file taken apart, where to put bad ones, how many to read and ask)."""
    build, ask = KINDS[request.param]
    path = build().save(tmp_path_factory.mktemp("hostile") / "a.model")
    return ask, taken_apart(path.read_bytes()), path, *CASES[request.param]


def read(path):
    """The estimator, or None where the file is refused as it should be."""
    start = time.process_time()
    try:
        return CounterfactualEstimator.load(path)
    except ModelFileError as error:
        check_one_line(error)
        return None
    finally:
        assert time.process_time() - start < SLOW


def check_answers(estimator, ask):
    """Finite, or an error of one line."""
    try:
        assert all(np.isfinite(np.asarray(answer, float)).all() for answer in ask(estimator))
    except ValueError as error:
        check_one_line(error)


def check_one_line(error):
    assert len(str(error).splitlines()) == 1


@pytest.mark.filterwarnings("ignore")
def test_no_file_gets_through(kind):
    ask, good, path, cases, asked = kind
    readable = 0
    for seed in range(cases):
        path.write_bytes(mutated(*good, seed))
        try:
            estimator = read(path)
            if estimator is not None and readable < asked:
                check_answers(estimator, ask)
        except Exception as error:
            raise AssertionError(f"case {seed}") from error
        readable += estimator is not None
    assert 0.02 * cases < readable < 0.4 * cases


def test_arrays_that_are_not_finite_or_huge_are_refused(kind):
    """In every array of every kind: a model of NaN must not answer with black images."""
    _, (header, arrays), path, *_ = kind
    line = json.dumps(header).encode()
    for place, array in enumerate(arrays):
        for value in (np.nan, np.inf, 1e30) if array.dtype.kind == "f" else ():
            changed = [one.copy() for one in arrays]
            changed[place].flat[-1] = value
            path.write_bytes(put_together(line, b"".join(one.tobytes() for one in changed)))
            assert read(path) is None, (place, value)


def refused(path, match):
    start = time.process_time()
    with pytest.raises(ModelFileError, match=match):
        read_model(path)
    assert time.process_time() - start < SLOW


@pytest.mark.fast
@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"kind": "a", "arrays": [], "arrays": []}', "stands there twice"),
        (b'{"kind": "a", "arrays": [], "x": NaN}', "NaN is no number"),
        (b'{"kind": "a", "arrays": [], "x": 1e999}', "too large"),
        (b'{"kind": "a", "arrays": [], "x": ' + b"9" * 5000 + b"}", "more than 19 digits"),
        (b"[" * 41 + b"]" * 41, "nested more than 40"),
        (b"[" * 100_000 + b"]" * 100_000, "nested more than 40 deep"),
        (b"[" + b"0," * 1_000_001 + b"0]", "more than 1000000 entries"),
        (b"[]", "must be an object"),
        (b'{"kind": ["a"], "arrays": []}', "kind must be text"),
        (b'{"kind": "a", "arrays": [{"dtype": "<f8", "shape": [99999999]}]}', "does not hold"),
        (b'{"kind": "a", "arrays": [{"dtype": "<f8", "shape": [true]}]}', "a whole number"),
        (b"\xff\xfe", "readable header"),
    ],
)
def test_headers_are_bounded_before_they_are_parsed(tmp_path, line, message):
    (tmp_path / "a.model").write_bytes(put_together(line, b""))
    refused(tmp_path / "a.model", message)


@pytest.mark.fast
@pytest.mark.parametrize("version", [b"00", b"02", b"0", b"-1", b"2 ", b"+2", b"\xc2\xb2"])
def test_the_version_is_exact(tmp_path, version):
    whole = put_together(b'{"kind": "a", "arrays": []}', b"").removeprefix(MAGIC)
    (tmp_path / "a.model").write_bytes(MAGIC.replace(b"2\n", version + b"\n") + whole)
    refused(tmp_path / "a.model", "not a model of elsewhere")


@pytest.mark.fast
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_never_read(device):
    refused(Path(device), "a device or a pipe")


@pytest.mark.fast
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.model")
    refused(tmp_path / "a.model", "a device or a pipe")


@pytest.mark.fast
def test_a_large_file_is_not_read_to_be_refused(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes(put_together(b'{"kind": "a", "arrays": []}', b""))
    with path.open("r+b") as file:
        file.truncate(1 << 29)  # sparse
    refused(path, "does not hold the arrays")
    with path.open("r+b") as file:
        file.write(b"no model")
    refused(path, "not a model of elsewhere")


@pytest.mark.fast
@pytest.mark.parametrize(
    ("more", "arrays", "message"),
    [
        ({"x": "y" * (16 << 20)}, [], "longer than"),
        ({"x": 10**25}, [], "more than 19 digits"),
        ({}, [np.array([np.nan])], "finite"),
    ],
)
def test_nothing_is_written_that_could_not_be_read(tmp_path, more, arrays, message):
    with pytest.raises(ValueError, match=f"the model cannot be saved.*{message}"):
        write_model(tmp_path / "a.model", {"kind": "a", **more}, arrays)
    assert not list(tmp_path.iterdir())


@pytest.mark.fast
def test_labels_too_long_to_be_read_are_noticed_before_a_fit():
    with pytest.raises(ValueError, match="a label must be text of at most 100000 characters"):
        check_labels(["north", "x" * 100_001])


@pytest.mark.fast
def test_a_model_that_no_reader_would_take_is_not_written(tmp_path):
    est = KINDS["levels"][0]()
    est.space_ = replace(est.space_, levels={"c": ("low", "mid")})
    with pytest.raises(
        ValueError, match=r"cannot be saved.*levels of 'c' must be 3, because its link"
    ):
        est.save(tmp_path / "a.model")
    assert not list(tmp_path.iterdir())


def put(path, header, arrays):
    data = b"".join(array.tobytes() for array in arrays)
    path.write_bytes(put_together(json.dumps(header).encode(), data))


def of_columns(header):
    """Of the gaps: means, counts, rows and covariances, by their places."""
    return header["gaps"]["GapModel"]["matrices"]


@pytest.mark.fast
@pytest.mark.parametrize(("place", "value"), [(2, 3e-8), (1, 1e6)])
def test_more_entries_than_rows_are_refused(small, place, value):
    (header, arrays), path = small
    wrong = [array.copy() for array in arrays]
    wrong[of_columns(header)[place]][:] = value
    put(path, header, wrong)
    assert read(path) is None


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A good file of a map by moments, taken apart, and where to put bad ones."""
    path = KINDS["moments"][0]().save(tmp_path_factory.mktemp("crafted") / "a.model")
    return taken_apart(path.read_bytes()), path


def effects(header):
    return header["result"]["candidates"][0]["model"]["AffineMap"]["effects"]


CRAFTED = {
    "three names for two domains": lambda h: h["domains"].append("west"),
    "one name twice": lambda h: h.update(domains=["north", "north"]),
    "a domain called all": lambda h: h.update(domains=["north", "all"]),
    "bend 0": lambda h: h["links"][2].update(bend=0),
    "a negative unit": lambda h: h["links"][0].update(unit=-1.0),
    "a boolean unit": lambda h: h["links"][0].update(unit=True),
    "a bound too much": lambda h: h["links"][0].update(low=3.0, high=2.0),
    "no bound": lambda h: h["links"][2].pop("low"),
    "a link too much": lambda h: h["links"].append(h["links"][0]),
    "a column of objects": lambda h: h["columns"].update(dtypes=["float64", "float64", "object"]),
    "a column of arrays": lambda h: h["columns"].update(dtypes=["float64", "float64", "(9,)f8"]),
    "no candidate": lambda h: h["result"].update(candidates=[]),
    "one array twice": lambda h: effects(h)[0].update(arrays=[6, 6, 8]),
    "a probability of 2": lambda h: effects(h)[0].update(p_value=2.0),
    "effects that are others'": lambda h: effects(h).reverse(),
    "the time of reading": lambda h: h.update(domains=[{"timestamp": "now"}, "south"]),
    "an engine's option of another kind": lambda h: h["result"].update(
        engine={"Moments": {"carried": "much"}}
    ),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_crafted_headers_are_refused(small, name):
    (header, arrays), path = small
    changed = json.loads(json.dumps(header))
    CRAFTED[name](changed)
    put(path, changed, arrays)
    assert read(path) is None


@pytest.fixture(scope="module")
def leaky(tmp_path_factory):
    """A good file of linear and leaky models, with a map by moments beside them."""
    path = KINDS["linear"][0]().save(tmp_path_factory.mktemp("leaky") / "a.model")
    return taken_apart(path.read_bytes()), path


def first(header):
    return header["result"]["candidates"][0]["model"]["ILD"]


def swap_mixing(header):
    """A map by moments is no bijection, though it takes rows of the same length."""
    result = header["result"]
    first(header)["mixing"], result["simpler"] = result["simpler"], first(header)["mixing"]


MISPLACED = {
    "an inverted model": lambda h: h["result"].update(simpler={"Invert": h["result"]["simpler"]}),
    "a model for a mixing": swap_mixing,
    "a mixing for a model": lambda h: h["result"].update(simpler={"Identity": 3}),
    "a mixing for what is missing": lambda h: h.update(gaps={"Identity": 3}),
    "a mixing for covariates": lambda h: h.update(covariates={"Identity": 3}),
    "a simpler model of other domains": lambda h: h["result"]["simpler"]["AffineMap"].update(
        domains=["north", "west"]
    ),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_every_class_has_its_place(leaky, name):
    (header, arrays), path = leaky
    changed = json.loads(json.dumps(header))
    MISPLACED[name](changed)
    put(path, changed, arrays)
    assert read(path) is None


@pytest.mark.parametrize(
    ("part", "arrays", "message"),
    [
        ("Affine", [np.zeros((2, 2)), np.zeros(2)], "entry of 1e-15"),
        ("Affine", [np.ones((2, 2)), np.zeros(2)], "invertible"),
        ("Affine", [np.eye(2), np.zeros(1)], "offset must have the axes"),
        ("Affine", [np.eye(2), np.zeros(2, bool)], "floating numbers"),
        ("LinearSCM", [np.zeros((2, 2)), np.zeros(2), np.zeros(2)], "scale must be"),
        ("LinearSCM", [np.zeros((2, 2)), np.ones(2, bool), np.zeros(2)], "floating numbers"),
        ("LinearSCM", [np.zeros((2, 2)), np.ones(2), np.zeros(1)], "bias must have the axes"),
        ("LinearSCM", [np.full((3, 3), 1e9), np.ones(3), np.zeros(3)], "multiply by at most"),
    ],
)
def test_what_cannot_be_inverted_is_never_built(part, arrays, message):
    with pytest.raises(ValueError, match=message):
        Reader(arrays).check({part: list(range(len(arrays)))})
