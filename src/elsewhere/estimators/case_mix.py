"""Who is in it: what carried columns of a DataFrame explain of the domains' difference."""

from collections.abc import Hashable

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.carried_columns import Carried, columns_beside
from elsewhere.estimators.columns import Kind

MOST_ROWS = 20_000  # that are looked at, evenly spread


def case_mix_notes(
    X: Kind,
    carried: Carried,
    learnt: Bool[np.ndarray, " N"],
    rest: Float[np.ndarray, "n m"],
    codes: Codes,
    site: Hashable,
) -> tuple[str, ...]:
    """One sentence that names them, or none.

    Args:
        X: the whole table.
        carried: the columns that are not modelled, and why.
        learnt: which of its rows were fitted.
        rest: these in link space, without what covariates explain.
        codes: their domains.
        site: what the domains are called, if anything.
    """
    beside = columns_beside(X, carried)
    if beside is None:
        return ()
    from elsewhere.covariates.left_out import in_words, left_out

    some = np.unique(np.linspace(0, len(rest) - 1, min(len(rest), MOST_ROWS)).astype(int))
    present, codes = np.unique(codes[some], return_inverse=True)
    if len(present) < 2:
        return ()
    rows = beside.iloc[np.flatnonzero(learnt)[some]]
    words = in_words(left_out(rows, rest[some], codes), str("domain" if site is None else site))
    return (f"{words} If it belongs to the rows, name it in covariates.",) if words else ()
