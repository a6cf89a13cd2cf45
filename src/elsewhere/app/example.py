"""A table to try: real biopsies, read by two scanners of which one reads the texture wrongly."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NAME = "biopsies.csv"
COLUMNS = ["mean radius", "mean texture", "mean smoothness", "mean symmetry"]


def example_table() -> "pd.DataFrame":
    """569 biopsies; scanner B reads the texture a quarter too high, and adds 2 to it."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer

    bunch: Any = load_breast_cancer(as_frame=True)
    X = bunch.frame[COLUMNS]
    scanner = np.random.default_rng(0).permutation(np.resize(["A", "B"], len(X)))
    texture = (X["mean texture"] * np.where(scanner == "B", 1.25, 1) + 2 * (scanner == "B")).round(
        2
    )
    return X.assign(**{"mean texture": texture}, scanner=scanner)
