"""A table to try: real biopsies, read by two scanners of which one reads the texture wrongly."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NAME = "biopsies.csv"
COLUMNS = ["mean radius", "mean texture", "mean smoothness", "mean symmetry"]


def example_table() -> "pd.DataFrame":
    """569 biopsies; scanner B adds 5 to the texture, and 1.5 more per unit of radius above 14."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    bunch: Any = load_breast_cancer(as_frame=True)
    X = bunch.frame[COLUMNS]
    scanner = np.random.default_rng(0).permutation(np.resize(["A", "B"], len(X)))
    wrong = 5 + 1.5 * (X["mean radius"] - 14)
    texture = (X["mean texture"] + wrong * (scanner == "B")).round(2)
    return X.assign(**{"mean texture": texture}, scanner=scanner)
