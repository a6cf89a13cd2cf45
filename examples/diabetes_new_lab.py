"""A laboratory that joins later: add it without a new fit, and keep every earlier answer.

Real patients, split at random between three laboratories. The glucose assays of B and C drift with
the blood pressure, each in its own way. These shifts are made here, so the truth is known.
"""

import numpy as np
from sklearn.datasets import load_diabetes

from compare import answers_of_all, mean_squared_error, show
from elsewhere.estimators import DomainCounterfactual

COLUMNS = {"bmi": "bmi", "bp": "blood pressure", "s1": "cholesterol", "s6": "glucose"}
DRIFT = {"A": (0.0, 0.0), "B": (10.0, 1.0), "C": (-15.0, -0.8)}  # at 95, and for each unit above


def main():
    X, lab = three_labs(seed=0)
    early, late = lab != "C", lab == "C"
    estimator = DomainCounterfactual(mixing="linear", links="identity")
    estimator.fit(X[early], lab[early])
    before = estimator.counterfactual(X[lab == "A"], source="A", target="B")
    estimator.add_domain(X[late], "C")
    after = estimator.counterfactual(X[lab == "A"], source="A", target="B")
    assert before.equals(after), "adding a laboratory must not change earlier answers"
    moves = [("A", "B"), ("A", "C"), ("C", "A")]
    errors = {move: compare(estimator, X, lab, *move) for move in moves}
    names = sorted(errors["A", "B"], key=lambda name: errors["A", "C"][name])
    rows = [(name, *(errors[move][name] for move in moves)) for name in names]
    show("Error against the truth", ["method", *(f"{d} to {e}" for d, e in moves)], rows)
    for found in errors.values():
        assert found["elsewhere"] < min(e for name, e in found.items() if name != "elsewhere")


def three_labs(seed):
    X = load_diabetes(as_frame=True, scaled=False).frame[list(COLUMNS)].astype(float)
    X = X.rename(columns=COLUMNS)
    lab = np.random.default_rng(seed).permutation(np.resize(["A", "B", "C"], len(X)))
    moved = X.copy()
    for d in DRIFT:
        moved[lab == d] = as_read_by(X[lab == d], "A", d)
    return moved, lab


def as_read_by(X, source, target):
    """The drift of the source taken off, that of the target put on."""
    excess = X["blood pressure"] - 95
    (start, slope), (start_2, slope_2) = DRIFT[source], DRIFT[target]
    return X.assign(glucose=X["glucose"] + (start_2 - start) + (slope_2 - slope) * excess)


def compare(estimator, X, lab, source, target):
    truth = as_read_by(X[lab == source], source, target)
    moved = answers_of_all(estimator, X, lab, source=source, target=target)
    return {name: mean_squared_error(answer, truth, X.std()) for name, answer in moved.items()}


if __name__ == "__main__":
    main()
