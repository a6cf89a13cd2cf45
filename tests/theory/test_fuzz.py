"""A few hundred pairs of benchmarks/verdict_fuzz.py, and that it can tell a wrong verdict."""

import importlib.util
import math
from fractions import Fraction
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from elsewhere import ILD, LinearSCM, linear
from elsewhere.errors import AssumptionError
from elsewhere.theory import intervention_set, smallest_form

SCRIPT = Path(__file__).parents[2] / "benchmarks/verdict_fuzz.py"
spec = importlib.util.spec_from_file_location("verdict_fuzz", SCRIPT)
fuzz = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fuzz)


@pytest.mark.parametrize("kind", range(3))
def test_no_wrong_verdict_on_linear_pairs(kind):
    numbers = [n for n in range(kind, 300, 3) if not fuzz.is_leaky(n)]
    rows = [row for number in numbers for row in fuzz.judged_pair(1, number)]
    assert [row for row in rows if row["wrong"]] == []
    assert {row["dtype"] for row in rows} == {"float32", "float64"}
    assert all(row["said"] != "cannot tell" for row in rows if row["dtype"] == "float64")


@pytest.mark.parametrize("number", [18, 37, 56, 75, 94, 113])
def test_no_wrong_verdict_on_leaky_pairs(number):
    rows = list(fuzz.judged_pair(1, number))
    assert all(row["kind"].endswith("leaky") for row in rows)
    assert [row for row in rows if row["wrong"]] == []


@pytest.mark.parametrize("how", range(3))
def test_no_wrong_verdict_on_hostile_pairs(how):
    numbers = [n for n in range(54) if n // 6 % 3 == how]
    rows = [row for number in numbers for row in fuzz.judged_hostile_pair(1, number)]
    assert [row for row in rows if row["wrong"]] == []
    assert {"yes", "no"} <= {row["said"] for row in rows}


def test_hopeless_conditioning_is_no_difference():
    """Noise off by far more than a deviation: its covariance is off by the square of that."""
    rows = list(fuzz.judged_hostile_pair(0, 288))
    assert [row["said"] for row in rows] == ["cannot tell"] * 2


def test_exact_gaps_by_hand():
    """f_2 = 2 ε + 1 against ε + 1, read at once with the scale and the shift of the first."""

    def model(scale):
        moved = LinearSCM(jnp.zeros((1, 1)), jnp.full(1, scale), jnp.ones(1))
        return ILD(linear(1e6 * jnp.eye(1)), [LinearSCM.identity(1), moved])

    gaps = fuzz.exact_gaps(model(2.0), model(1.0))
    assert gaps["distribution"] == 3  # W = 2
    assert gaps["counterfactual"] == 0.5  # W_2 − W_1 = 2 − 1, over 2


@pytest.mark.parametrize(
    ("case", "wrong"),
    [
        (("equal", "no", 1e-3, 1e-6), True),
        (("different", "yes", 0.0, 1e-6), True),
        (("nearly", "yes", 2e-6, 1e-6), True),
        (("nearly", "no", 5e-7, 1e-6), True),
        (("nearly", "yes", 9e-7, 1e-6), False),
        (("different", "no", 1.0, 1e-6), False),
        (("equal", "cannot tell", 1e-3, 1e-6), True),
        (("equal", "cannot tell", 1e-3, 0.1), False),
    ],
)
def test_what_counts_as_wrong(case, wrong):
    assert fuzz.is_wrong(*case) is wrong


def test_units_and_kinds_are_as_wide_as_stated():
    models = [
        fuzz.random_pair(np.random.default_rng(n), "equal", np.float64, leaky=False)
        for n in range(50)
    ]
    sizes = np.concatenate([np.abs(np.diag(a.mixing.matrix)) for a, _ in models])
    assert sizes.min() < 1e-8
    assert sizes.max() > 1e8


def pairs_of(kind, hostile):
    """(one, two) of the benchmark, in both dtypes; matrices refused as singular are left out."""
    for number in range(kind, 60, 3):
        rng = np.random.default_rng([9, number, hostile])
        dtype = (np.float32, np.float64)[number // 3 % 2]
        asked = rng, fuzz.KINDS[kind], dtype
        how = fuzz.HOSTILE[number // 6 % 3]
        try:
            yield (
                fuzz.hostile_pair(*asked, how) if hostile else fuzz.random_pair(*asked, leaky=False)
            )
        except AssumptionError:
            continue


def exact_rows(f):
    """[f⁻¹]_j = Σ a_i z_i + a: the coefficients of every j as they are stored."""
    weights, scale, bias = fuzz.matrix(np.tril(f.weights, -1)), *map(fuzz.column, (f.scale, f.bias))
    return [
        [(Fraction(int(i == j)) - w) / s[0] for j, w in enumerate(row)] + [-b[0] / s[0]]
        for i, (row, s, b) in enumerate(zip(weights, scale, bias, strict=True))
    ]


def exact_gap(scms, j):
    """The largest difference of [f_d⁻¹]_j, root mean square over the latents of some domain."""
    worst, rows, m = 0.0, [exact_rows(f)[j] for f in scms], len(scms[0].bias)
    for f in scms:
        F, c = fuzz.observed(linear(jnp.eye(m)), f)
        for own in rows:
            for other in rows:
                change = [x - y for x, y in zip(own, other, strict=True)]
                moved = fuzz.times([change[:-1]], F)[0]
                shift = fuzz.times([change[:-1]], c)[0][0] + change[-1]
                worst = max(worst, math.sqrt(sum(x * x for x in [*moved, shift])))
    return worst


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("hostile", [0, 1])
def test_intervention_sets_are_those_of_exact_fractions(kind, hostile):
    decided = 0
    for model in (model for pair in pairs_of(kind, hostile) for model in pair):
        found = intervention_set(model)
        for j, tolerance in enumerate(found.tolerances if found.decided else ()):
            gap, decided = exact_gap(model.scms, j), decided + 1
            assert gap > 0.9 * tolerance if j in found else gap < 1.1 * tolerance
    assert decided > 40


@pytest.mark.parametrize("hostile", [0, 1])
def test_equal_models_have_one_smallest_size(hostile):
    sizes = []
    for pair in pairs_of(0, hostile):
        try:
            sizes.append([smallest_form(model).size for model in pair])
        except AssumptionError:  # rounding hides more than may be
            continue
    assert len(sizes) > 10
    assert all(one == two for one, two in sizes)
