"""How far explanations move rows, and how much of the difference between domains they leave."""

from dataclasses import replace
from itertools import permutations

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.estimate import affine_map
from elsewhere.fitting.moments.statistics import Statistics
from elsewhere.fitting.split import Named
from elsewhere.movers import Mover, moved_rows

Units = Float[np.ndarray, " m"]
SMALLEST = 1e-300  # where `simpler` moves nothing, whatever is left is too much


def share_left(model: Mover, simpler: Mover, tables: Named) -> float:
    """How far offsets, scales and turns still move rows that `model` has moved, ÷ `simpler`'s move.

    Rows that a true explanation has moved to one domain are alike wherever they come from: there
    is nothing left to find. An explanation that leaves the domains as different as it found them
    has a share of 1; one that makes them more different has a larger share.
    """
    aim, units = next(iter(tables)), deviations(tables)
    moved = {d: moved_rows(model, rows, d=d, d_prime=aim) for d, rows in tables.items()}
    before = mean_move(simpler, tables, units)
    return mean_move(affine_map(moved), moved, units) / max(before, SMALLEST)


def move_by_turns(model: AffineMap, tables: Named) -> float:
    """How far its turns alone move rows, in deviations within domains."""
    offsets, scales = (replace(e, means=0 * e.means) for e in (model.offsets, model.scales))
    turned = replace(model, offsets=offsets, scales=scales)
    return mean_move(turned, tables, deviations(tables))


def deviations(tables: Named) -> Units:
    """Of every column within domains."""
    return Statistics([np.asarray(rows, float) for rows in tables.values()]).pooled ** 0.5


def mean_move(model: Mover, tables: Named, units: Units) -> float:
    """√E(x_{d→d'} − x)² over columns and ordered pairs of domains, in these units."""
    squares = [
        (((moved_rows(model, tables[d], d=d, d_prime=e) - tables[d]) / units) ** 2).mean()
        for d, e in permutations(tables, 2)
    ]
    return float(np.sqrt(np.mean(squares)))
