"""How much of a small domain's answer is its own evidence, and how much is borrowed."""

from collections.abc import Hashable, Mapping

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.affine_map import AffineMap

FEW = 20  # rows, below which a domain is told to borrow
LISTED = 4  # such domains that a sentence names


def own_shares(
    model: AffineMap, tables: Mapping[Hashable, Float[np.ndarray, "_ p"]]
) -> dict[Hashable, float]:
    """⟨δ_d, o_d⟩/⟨o_d, o_d⟩, o_d the offset that the rows of d show: 1 is all its own, 0 none.

    Args:
        model: the map.
        tables: rows of its domains.
    """
    seen = {
        d: (table.mean(axis=0) - model.centre) / model.stretch(d) for d, table in tables.items()
    }
    middle = np.mean(list(seen.values()), axis=0)
    used = {d: model.offsets.means[model.position(d)] for d in tables}
    return {d: _share(used[d], seen[d] - middle) for d in tables}


def _share(used: Float[np.ndarray, " p"], shown: Float[np.ndarray, " p"]) -> float:
    return float(np.clip(used @ shown / max(shown @ shown, 1e-300), 0.0, 1.0))


def borrowing_notes(
    model: AffineMap, tables: Mapping[Hashable, Float[np.ndarray, "_ p"]]
) -> tuple[str, ...]:
    """One sentence on the domains of few rows, those of fewest first; none where all have many."""
    small = sorted((d for d in tables if len(tables[d]) < FEW), key=lambda d: len(tables[d]))
    if not small:
        return ()
    shares = own_shares(model, tables)
    words = [f"{d} ({_rows(len(tables[d]))}) {shares[d]:.0%}" for d in small[:LISTED]]
    rest = [shares[d] for d in small[LISTED:]]
    more = f" and {len(rest)} more {min(rest):.0%} to {max(rest):.0%}" if rest else ""
    return (
        "few rows: only part of the offset that a small domain shows is counted as its own, and "
        f"the rest as chance: {', '.join(words)}{more}. Look at the intervals of such answers.",
    )


def _rows(count: int) -> str:
    return f"{count} row" if count == 1 else f"{count} rows"
