"""Two layers of axes, found in turns: the inner one by many starts, then both by their slopes."""

import numpy as np

from elsewhere.fitting.layered.objective import Layers, climb
from elsewhere.fitting.profile.axes.profile import weighted
from elsewhere.fitting.profile.axes.search import find_axes
from elsewhere.fitting.profile.moments import Axes, Tables, encode
from elsewhere.fitting.profile.options import Options
from elsewhere.fitting.profile.problem import make_problem
from elsewhere.fitting.profile.rows import rows_of
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.split import Named

ROUNDS = 4  # of a new inner layer and a climb, at most
LEAST_GAIN = 2e-3  # nats per row that a round must bring for another to follow


def find_layers(
    rng: np.random.Generator,
    tables: Tables,
    start: Layers,
    options: Options,
    progress: Progress,
) -> Layers:
    """argmax of the Dense likelihood over both layers, from an outer one that was found alone.

    The density jumps at the kinks of the outer layer, along hyperplanes that a search for one
    layer finds whatever is behind them. In its coordinates the inner layer is one layer, too. As
    far as the outer one was wrong, so is the inner: it is found anew once both have climbed.
    """
    count = max(options.refit_rows // len(tables), 20 * len(start.outer))
    rows = weighted(rows_of(tables).first(count))
    best, best_value = start, -np.inf
    for done in range(ROUNDS):
        progress(done / ROUNDS, f"two layers, round {done + 1}")
        trial, value = climb(best._replace(inner=_inner(rng, best, tables, options)), rows)
        gain = value - best_value
        if gain > 0:
            best, best_value = trial, value
        if gain < LEAST_GAIN:
            break
    return best


def flattened(layers: Layers, tables: Tables) -> Tables:
    """h = LeakyReLU⁻¹(W_o y + β_o) of every row."""
    return [encode(layers.outer, table, layers.slopes[0])[1] for table in tables]


def _inner(rng: np.random.Generator, layers: Layers, tables: Tables, options: Options) -> Axes:
    """The likeliest single layer in the coordinates of the outer one."""
    flat: Named = dict(enumerate(flattened(layers, tables)))
    problem = make_problem(flat, flat, layers.slopes[1], options)
    W, offset = np.hsplit(find_axes(rng, problem).axes, [-1])
    W = W @ problem.white.matrix / problem.white.unit
    return np.column_stack([W, offset[:, 0] - W @ problem.white.centre])
