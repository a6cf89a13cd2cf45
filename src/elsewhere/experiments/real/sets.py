"""The real tables, by the name of their experiment."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from elsewhere.datasets.real import (
    PairedData,
    load_cell_lines,
    load_corn,
    load_gas,
    load_tablets,
    load_weather,
)


@dataclass(frozen=True)
class RealSet:
    """One experiment.

    Args:
        title: what was measured.
        load: from a data directory, or None, to the data.
        ordered: whether neighbouring columns measure neighbouring things, as wavelengths do.
        about: what to know of its truth.
    """

    title: str
    load: Callable[[Path | None], PairedData]
    ordered: bool
    about: str


_GAS = (
    "A pair is the same set point of the same rig, exposed at another time: replicate noise is "
    "part of every error."
)
_GENES = "The same cell lines, not the same tube of RNA."
_CORN = "The same sample on every spectrometer."

REAL_SETS = {
    "R1": RealSet(
        "Tablets on two spectrometers, 600–1598 nm",
        load_tablets,
        True,
        "The same tablet on both instruments. From 1600 nm on both measure mostly noise, which is "
        "left out.",
    ),
    "R2": RealSet("Gas exposures on five sensor boards", load_gas, False, _GAS),
    "R3": RealSet(
        "Gas exposures on three sensor boards",
        lambda directory: load_gas(directory, boards=3),
        False,
        _GAS,
    ),
    "R4": RealSet(
        "Cell lines on two microarrays, the 500 most variable genes",
        load_cell_lines,
        False,
        _GENES,
    ),
    "R5": RealSet(
        "Cell lines on two microarrays, all 5,147 genes",
        lambda directory: load_cell_lines(directory, most_variable=None),
        False,
        f"{_GENES} Half of the genes correlate below .42 between the arrays: a test of size more "
        "than of accuracy.",
    ),
    "R6": RealSet(
        "Corn on three spectrometers, 1100–2498 nm",
        load_corn,
        True,
        _CORN,
    ),
    "R7": RealSet(
        "Corn on two spectrometers of one make, 1100–2498 nm",
        lambda directory: load_corn(directory, spectrometers=("mp5", "mp6")),
        True,
        f"{_CORN} The spectrometers differ by half a deviation: what chance brings to 40 samples "
        "is as large as what is to be found.",
    ),
    "R8": RealSet(
        "The weather at three airports, hour by hour",
        load_weather,
        False,
        "The same hour at every airport, some 20 km apart: rain and sight really differ. The dew "
        "point is nearly a function of temperature and humidity.",
    ),
}


def real_set(name: str) -> RealSet:
    """The experiment of this name."""
    if name not in REAL_SETS:
        raise ValueError(f"experiment must be one of {', '.join(REAL_SETS)}; got {name!r}.")
    return REAL_SETS[name]
