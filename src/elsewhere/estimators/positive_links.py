"""The links of columns that are never negative, many at once: one column a row."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Bool, Float

from elsewhere.arrays import Codes
from elsewhere.estimators.links import Link, Shape, h, log_h_slope

BEND = 1 / 3  # of the smallest value: softplus leaves all that were seen nearly as they are
DECISIVE = 150.0  # nats over all rows
SHAPES: tuple[Shape, Shape] = ("log", "softplus")
MOST_POWER = 1.5  # of the deviations of logarithms, the largest of any domain over the least
SHOWN = 20  # rows from which on a domain shows its deviation
Columns = Float[np.ndarray, "m n"]
Each = Float[np.ndarray, " m"]


def positive_links(x: Columns, codes: Codes, whole: Bool[np.ndarray, " m"]) -> Iterator[Link]:
    """softplus, which bends only below the smallest value; log where rows insist.

    Differences between domains mostly add to a column or stretch it, and so a logarithm must gain
    DECISIVE nats over all rows by making the column normal within domains. And where logarithms
    vary MOST_POWER times as much in one domain as in another, as those of counts that one domain
    cuts off, domains do not differ by ratios: to scale logarithms would raise values to a power.
    There, logarithms must gain as much in every domain by itself.
    """
    pad = pads(x, 0.0, np.inf, whole)
    bend = np.minimum(BEND * (x.min(axis=1) + pad), within(x, codes))
    soft = _standardised("softplus", x, pad, bend)
    log = _standardised("log", x, pad, bend)
    gain = x.shape[1] * (
        _fit("log", x, codes, pad, bend, log) - _fit("softplus", x, codes, pad, bend, soft)
    )
    insists = (gain > DECISIVE) & _alike(h("log", x, pad=pad[:, None]), codes)
    unlike = np.flatnonzero((gain > DECISIVE) & ~insists)
    insists[unlike] = _least_gain(x[unlike], codes, pad[unlike], bend[unlike]) > DECISIVE
    for i, decided in enumerate(insists):
        centre, unit = (float(value[i]) for value in (log if decided else soft))
        given = {"pad": float(pad[i]), "whole": bool(whole[i]), "centre": centre, "unit": unit}
        if decided:
            yield Link("log", 0.0, **given)
        else:
            yield Link("softplus", 0.0, bend=float(bend[i]), **given)


def pads(x: Columns, low: float, high: float, whole: Bool[np.ndarray, " m"]) -> Each:
    """Half the least distance of a value to a bound that it does not touch; 0 where none does."""
    gaps = np.minimum(x - low, high - x)
    least = np.where(gaps > 0, gaps, high - low).min(axis=1)
    return np.where(whole, 0.5, np.where((gaps == 0).any(axis=1), 0.5 * least, 0.0))


def within(x: Columns, codes: Codes) -> Each:
    """The standard deviation within domains."""
    count = int(codes.max()) + 1
    bins = codes + count * np.arange(len(x))[:, None]
    sums = np.bincount(bins.ravel(), x.ravel(), count * len(x)).reshape(len(x), count)
    means = sums / np.bincount(codes)
    found = np.sqrt(np.mean((x - means[:, codes]) ** 2, axis=1))
    return np.where(found == 0, 1.0, found)


def _alike(x: Columns, codes: Codes) -> Bool[np.ndarray, " m"]:
    """Whether all domains of SHOWN rows or more have deviations within a factor of MOST_POWER."""
    shown = np.flatnonzero(np.bincount(codes) >= SHOWN)
    if len(shown) < 2:
        return np.ones(len(x), bool)
    deviations = np.stack([x[:, codes == d].std(axis=1) for d in shown])
    return deviations.max(axis=0) <= MOST_POWER * deviations.min(axis=0)


def _least_gain(x: Columns, codes: Codes, pad: Each, bend: Each) -> Each:
    """Nats that logarithms gain by making a column normal, in the domain where that is least."""
    least = np.full(len(x), np.inf)
    for rows in (x[:, codes == d] for d in np.unique(codes)):
        alone, given = np.zeros(rows.shape[1], int), (pad, bend)
        log, soft = (
            _fit(shape, rows, alone, *given, _standardised(shape, rows, *given)) for shape in SHAPES
        )
        least = np.minimum(least, rows.shape[1] * (log - soft))
    return least


def _standardised(shape: Shape, x: Columns, pad: Each, bend: Each) -> tuple[Each, Each]:
    """(mean, standard deviation) of h(x), as `Link.standardised` has them."""
    values = h(shape, x, pad=pad[:, None], bend=bend[:, None])
    unit = values.std(axis=1)
    return values.mean(axis=1), np.where(unit == 0, 1.0, unit)


def _fit(
    shape: Shape, x: Columns, codes: Codes, pad: Each, bend: Each, to: tuple[Each, Each]
) -> Each:
    """The mean log-likelihood of a normal within each domain, up to a constant."""
    centre, unit = (value[:, None] for value in to)
    given = {"pad": pad[:, None], "bend": bend[:, None]}
    slopes = log_h_slope(shape, x, **given) - np.log(unit)
    return slopes.mean(axis=1) - np.log(within((h(shape, x, **given) - centre) / unit, codes))
