"""Is any verdict on two models wrong, beyond the tolerance it states?

python benchmarks/verdict_fuzz.py --seconds 240 --out results/benchmarks/verdict_fuzz.json
python benchmarks/verdict_fuzz.py --hostile --out results/benchmarks/verdict_fuzz_hostile.json

Started again, it goes on where it stopped, as long as the checks are the same.

Pairs of models of 1 to 4 latents and 2 or 3 domains, in float32 and float64. Units of columns and,
separately in each model, of latents are 1e-6 to 1e6. A pair is

equal       re-expressed by h₁ and a normal-preserving h₂ in NumPy, then rounded
nearly      the same, with one mechanism off by a share of 1e-12 to 1e-1
different   the same, with one mechanism off by a deviation or a factor of 2

The gap between the parameters as stored is computed a second time, in exact fractions, and a
verdict is wrong where it says yes above 1.1 times its tolerance, no below 0.9 times, or where it
contradicts how the pair was made. "Cannot tell" is an answer only where the tolerance exceeds 0.05.
One pair in nineteen has a leaky mixing, whose verdicts are sampled and judged by how it was made.

With --hostile the pairs are ill-conditioned, up to what the dtype allows: nearly singular mixings,
weights up to 100, means up to a million deviations, the two models in different dtypes, domains in
another order, and from none to all of the mechanisms changed. Matrices refused as singular count.
"""

import argparse
import json
import math
import sys
import time
from fractions import Fraction
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere import ILD, LinearSCM, leaky_linear, linear
from elsewhere.bijections import Affine, compose
from elsewhere.errors import AssumptionError
from elsewhere.experiments.fingerprint import code_fingerprint
from elsewhere.experiments.provenance import provenance
from elsewhere.files import write_whole
from elsewhere.theory import counterfactually_equivalent, distributionally_equivalent

KINDS = ("equal", "nearly", "different")
HOSTILE = ("nearly singular", "far from 0", "different dtypes")
CHECKS = {
    "distribution": distributionally_equivalent,
    "counterfactual": counterfactually_equivalent,
}


def main():
    choices = arguments()
    jax.config.update("jax_enable_x64", True)
    found = found_so_far(choices.out, choices.seed)
    judged = judged_hostile_pair if choices.hostile else judged_pair
    end = time.monotonic() + choices.seconds
    while found["pairs"] < choices.pairs and time.monotonic() < end:
        judge_next(found, judged)
        if found["pairs"] % 100 == 0:
            keep(found, choices.out)
            print(f"{found['pairs']} pairs, {len(found['wrong'])} wrong verdicts", flush=True)
    keep(found, choices.out)
    for name in sorted(found["counts"]):
        print(f"{name:55}{found['counts'][name]:7}")
    total = sum(found["counts"].values())
    print(f"{found['pairs']} pairs, {total} verdicts, {len(found['wrong'])} wrong")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000, help="how many in all")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after these")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hostile", action="store_true", help="ill-conditioned pairs")
    parser.add_argument("--out", type=Path, help="a JSON file; goes on from what it has")
    return parser.parse_args()


def found_so_far(out, seed):
    """What a file holds, if this seed and this code made it; else nothing yet."""
    code = code_fingerprint("elsewhere.theory")
    fresh = {"seed": seed, "code": code, "pairs": 0, "wrong": [], "counts": {}}
    if out is None or not out.exists():
        return fresh
    kept = json.loads(out.read_text())
    same = (kept["seed"], kept["code"]) == (seed, code)
    return {name: kept[name] for name in fresh} if same else fresh


def judge_next(found, judged):
    for row in judged(found["seed"], found["pairs"]):
        name = f"{row['kind']}, {row['dtype']}, {row['check']}: {row['said']}"
        found["counts"][name] = found["counts"].get(name, 0) + 1
        found["wrong"] += [row] if row["wrong"] else []
    found["pairs"] += 1


def keep(found, out):
    made_by = provenance(" ".join(["python", *sys.argv]), [found["seed"]])
    if out:
        write_whole(out, (json.dumps({"made_by": made_by} | found, indent=1) + "\n").encode())


def judged_pair(seed, number):
    """One row per check on pair `number`: what was said, its tolerance, and if it is wrong."""
    rng = np.random.default_rng([seed, number])
    kind, dtype = KINDS[number % 3], (np.float32, np.float64)[number // 3 % 2]
    leaky = is_leaky(number)
    a, b = random_pair(rng, kind, dtype, leaky=leaky)
    about = {"number": number, "kind": f"{kind} leaky" if leaky else kind}
    about["dtype"] = np.dtype(dtype).name
    yield from judged(about, kind, a, b, {} if leaky else exact_gaps(a, b))


def judged_hostile_pair(seed, number):
    """As `judged_pair`, ill-conditioned, the domains of the second model in another order."""
    rng = np.random.default_rng([seed, number, 1])
    kind, dtype = KINDS[number % 3], (np.float32, np.float64)[number // 3 % 2]
    how = HOSTILE[number // 6 % 3]
    about = {"number": number, "kind": f"{kind}, {how}", "dtype": np.dtype(dtype).name}
    try:
        a, b = hostile_pair(rng, kind, dtype, how)
    except AssumptionError:
        yield about | {"check": "matrix", "said": "refused", "wrong": False}
        return
    order = rng.permutation(a.num_domains)
    other = ILD(b.mixing, [b.scms[i] for i in order], [int(i) for i in order])
    yield from judged(about, kind, a, other, exact_gaps(a, b))


def judged(about, kind, a, b, gaps):
    for name, check in CHECKS.items():
        verdict = check(a, b)
        said = ("yes" if verdict.holds else "no") if verdict.decided else "cannot tell"
        yield about | {
            "check": name,
            "said": said,
            "gap": gaps.get(name),
            "tolerance": verdict.tolerance,
            "wrong": is_wrong(kind, said, gaps.get(name), verdict.tolerance),
        }


def is_leaky(number):
    """One in 19, which has no factor in common with the 6 of kinds and dtypes."""
    return number % 19 == 18


def is_wrong(kind, said, gap, tolerance):
    """By how the pair was made, by the exact gap, and by the rule for "cannot tell"."""
    if said == "cannot tell":
        return bool(tolerance <= 0.05)
    if (kind, said) in {("equal", "no"), ("different", "yes")}:
        return True
    if gap is None:
        return False
    return bool(gap > 1.1 * tolerance if said == "yes" else gap < 0.9 * tolerance)


def random_pair(rng, kind, dtype, *, leaky):
    """Two ILDs in the given dtype: one at random, one re-expressed and perhaps changed."""
    m, domains = (3, 2) if leaky else (int(rng.integers(1, 5)), int(rng.integers(2, 4)))
    columns, *latents = 10.0 ** rng.uniform(-6, 6, (3, m))
    G = rotation(rng, m) * np.exp(rng.uniform(-1, 1, m)) @ rotation(rng, m)
    shared = random_law(rng, m)
    laws = [shared, *(changed_rows(rng, shared) for _ in range(domains - 1))]
    turn, others = reexpressed(rng, kind, laws)
    one = build(G, columns, np.eye(m), latents[0], laws, dtype, leaky=leaky)
    two = build(G, columns, turn, latents[1], others, dtype, leaky=leaky)
    return one, two


def hostile_pair(rng, kind, dtype, how):
    """As `random_pair`; "nearly singular", "far from 0", or the two in "different dtypes"."""
    m, domains = int(rng.choice([1, 2, 3, 6])), int(rng.integers(2, 4))
    columns, *latents = 10.0 ** rng.uniform(-6, 6, (3, m))
    digits = rng.uniform(0, 7 if dtype == np.float32 else 14)
    spread = np.ones(m) if how == "far from 0" else 10.0 ** rng.uniform(-digits, 0, m)
    G = rotation(rng, m) * spread @ rotation(rng, m)
    weight = 10.0 ** rng.uniform(-1, 2)
    away = 10.0 ** rng.uniform(0, 6) if how == "far from 0" else 1.0
    laws = [random_law(rng, m, weight, away)]
    for _ in range(domains - 1):
        own = rng.random(m) < rng.choice([0.0, 0.5, 1.0])
        laws.append(with_rows(laws[0], random_law(rng, m, weight, away), own))
    turn, others = reexpressed(rng, kind, laws)
    mixed = {np.float32: np.float64, np.float64: np.float32}
    second = mixed[dtype] if how == "different dtypes" else dtype
    one = build(G, columns, np.eye(m), latents[0], laws, dtype, leaky=False)
    two = build(G, columns, turn, latents[1], others, second, leaky=False)
    return one, two


def reexpressed(rng, kind, laws):
    """(h₁, the laws by h₁ and signs of the noise, the last perhaps altered)."""
    m = len(laws[0][1])
    turn = np.tril(0.5 * rng.standard_normal((m, m)), -1) + np.diag(rng.choice([-1.0, 1.0], m))
    signs = rng.choice([-1.0, 1.0], m)
    others = [(turn @ F * signs, turn @ c) for F, c in laws]
    if kind != "equal":
        others[-1] = altered(rng, others[-1], kind)
    return turn, others


def build(G, columns, turn, units, laws, dtype, *, leaky):
    """x = columns · G · (leaky) · turn⁻¹ · units⁻¹ z, with z in units, every leaf rounded once."""
    inner = np.linalg.inv(turn) / units
    outer = columns[:, None] * G
    if leaky:
        mixing = compose(leaky_linear(jnp.asarray(outer, dtype)), Affine(inner.astype(dtype)))
    else:
        mixing = linear(jnp.asarray(outer @ inner, dtype))
    return ILD(mixing, [rounded_scm(units[:, None] * F, units * c, dtype) for F, c in laws])


def rounded_scm(F, c, dtype):
    inverse = np.linalg.inv(F)
    weights = np.eye(len(c)) - np.diag(F)[:, None] * np.tril(inverse)
    leaves = np.tril(weights, -1), np.diag(F), c - np.tril(weights, -1) @ c
    return LinearSCM(*(np.asarray(leaf, dtype) for leaf in leaves))


def random_law(rng, m, weight=0.5, away=1.0):
    scale = np.exp(rng.uniform(-1, 1, m)) * rng.choice([-1.0, 1.0], m)
    below = np.tril(weight * rng.standard_normal((m, m)), -1)
    return below + np.diag(scale), away * rng.standard_normal(m)


def changed_rows(rng, law):
    """Some rows of F and c drawn anew."""
    other = random_law(rng, len(law[1]))
    return with_rows(law, other, rng.random(len(law[1])) < 0.5)


def with_rows(law, other, rows):
    """The law with these rows of F and c taken from another."""
    return np.where(rows[:, None], other[0], law[0]), np.where(rows, other[1], law[1])


def altered(rng, law, kind):
    """One latent's law off by a share of its deviation: wider, or shifted."""
    F, c = law[0].copy(), law[1].copy()
    j = rng.integers(len(c))
    share = 1.0 if kind == "different" else 10.0 ** rng.uniform(-12, -1)
    if rng.random() < 0.5:
        F[j, j] *= 1 + share
    else:
        c[j] += share * np.linalg.norm(F[j])
    return F, c


def rotation(rng, m):
    return np.linalg.qr(rng.standard_normal((m, m)))[0]


def exact_gaps(a, b):
    """Both gaps of the parameters as stored, in fractions up to the last square root."""
    seen = [[observed(model.mixing, f) for f in model.scms] for model in (a, b)]
    reads = [read_noise(*pair) for pair in (seen, seen[::-1])]
    distribution = max(moment_gap(W, w) for read in reads for W, w in read)
    counterfactual = max(row_gap(read[0], other) for read in reads for other in read)
    return {"distribution": distribution, "counterfactual": counterfactual}


def read_noise(one, two):
    """(W_d, w_d): the noise that `two` reads off x of `one`, per domain."""
    found = []
    for (A, b), (B, c) in zip(one, two, strict=True):
        shift = [[x[0] - y[0]] for x, y in zip(b, c, strict=True)]
        found.append((solve(B, A), solve(B, shift)))
    return found


def observed(mixing, f):
    """(A, b) of x = G f(ε) + g."""
    G, g = matrix(mixing.matrix), column(mixing.offset)
    weights, scale, bias = matrix(np.tril(f.weights, -1)), matrix(np.diag(f.scale)), column(f.bias)
    m = len(bias)
    left = [[Fraction(int(i == j)) - weights[i][j] for j in range(m)] for i in range(m)]
    A, b = times(G, solve(left, scale)), times(G, solve(left, bias))
    return A, [[x[0] + y[0]] for x, y in zip(b, g, strict=True)]


def moment_gap(W, w):
    """max(‖W Wᵀ − I‖₂, ‖w‖), the matrix in fractions, its norm in floats."""
    m = len(W)
    square = times(W, [list(row) for row in zip(*W, strict=True)])
    off = [[float(square[i][j] - int(i == j)) for j in range(m)] for i in range(m)]
    return max(float(np.linalg.norm(off, 2)), math.sqrt(sum(float(x[0]) ** 2 for x in w)))


def row_gap(first, other):
    """max over rows of the difference of (W, w), over the longer of the two rows of W."""
    gaps = []
    for U, u, V, v in zip(*first, *other, strict=True):
        apart = sum((x - y) ** 2 for x, y in zip([*U, *u], [*V, *v], strict=True))
        size = max(sum(x * x for x in U), sum(x * x for x in V))
        gaps.append(math.sqrt(apart / size))
    return max(gaps)


def matrix(a):
    return [[Fraction(float(x)) for x in row] for row in np.asarray(a)]


def column(a):
    return [[Fraction(float(x))] for x in np.asarray(a)]


def times(A, B):
    return [
        [sum(x * y for x, y in zip(r, c, strict=True)) for c in zip(*B, strict=True)] for r in A
    ]


def solve(A, B):
    """A⁻¹ B by Gauss and Jordan, exactly."""
    m = len(A)
    rows = [[*r, *s] for r, s in zip(A, B, strict=True)]
    for i in range(m):
        pivot = next(k for k in range(i, m) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(m):
            if k != i and rows[k][i] != 0:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[m:] for row in rows]


if __name__ == "__main__":
    main()
