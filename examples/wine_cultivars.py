"""A real grouping: what would a wine have been, had its grapes been of another cultivar?

Nobody knows the true answer here. What can be checked: a moved wine should look like a wine of the
other cultivar to a judge who has only seen real ones, and its values should be possible ones.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from compare import answers_of_all, show
from elsewhere.estimators import DomainCounterfactual

COLUMNS = ["alcohol", "flavanoids", "color_intensity", "proline"]
NAMES = np.array(["barolo", "grignolino", "barbera"])


def main():
    data = load_wine(as_frame=True)
    X, cultivar = data.frame[COLUMNS], NAMES[data.target]
    estimator = DomainCounterfactual(mixing="linear").fit(X, cultivar)
    shares = {}
    for target in ("grignolino", "barbera"):
        moved = answers_of_all(estimator, X, cultivar, source="barolo", target=target)
        shares[target] = {
            name: recognised(X, cultivar, rows, target) for name, rows in moved.items()
        }
    rows = [(name, *(shares[t][name] for t in shares)) for name in shares["barbera"]]
    show("Share of barolos taken for the other cultivar", ["moved by", *shares], rows)
    answer = estimator.counterfactual(X, source=cultivar, target="barbera")
    show("The first barolo", ["", *COLUMNS], [("is", *X.iloc[0]), ("as barbera", *answer.iloc[0])])
    assert (answer > 0).to_numpy().all()
    assert (answer["proline"] == answer["proline"].round()).all(), "proline is a whole number"
    for found in shares.values():
        assert found["identity"] < 0.1 < 0.8 < found["elsewhere"]


def recognised(X, cultivar, moved, target):
    """How often a judge of real wines takes the moved ones for the target's."""
    judge = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, cultivar)
    return float((judge.predict(moved[X.columns]) == target).mean())


if __name__ == "__main__":
    main()
