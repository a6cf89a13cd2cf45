"""655 tablets, each measured on two near-infrared spectrometers (IDRC shootout, 2002)."""

import os
from collections.abc import Sequence

import numpy as np
import pandas as pd

from elsewhere.datasets.real.paired import PairedData, pair
from elsewhere.datasets.real.source import Source, keyed

INSTRUMENTS = ("1", "2")
NOISY = 1600  # nm; from here on, the spectra of both instruments are mostly noise
_REPOSITORY = (
    "https://raw.githubusercontent.com/caseykneale/ChemometricsTools.jl/"
    "5cb1fcf3932d2297e3c486d560f281fe119b60ef/data/"
)


def load_tablets(
    directory: str | os.PathLike[str] | None = None, *, below: int = NOISY
) -> PairedData:
    """Absorbance at 600, 602, … nm below `below`, of every tablet on instruments 1 and 2.

    Args:
        directory: has `tablets_nir/tablets.csv.gz` or that file; else $ELSEWHERE_DATA, a cache
            folder, or the download of the two published tables.
        below: keep the wavelengths below this many nm.
    """
    data = pair("tablets", TABLETS.table(directory), INSTRUMENTS)
    kept = [j for j, name in enumerate(data.columns) if int(name.removeprefix("nm")) < below]
    return data.select(np.array(kept, int))


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    spectra = [name for name in frame.columns if name.startswith("nm") and name[2:].isdigit()]
    return keyed("tablets", frame, "sample", "instrument", spectra)


def _convert(published: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One table per instrument, the tablets in the same order in both."""
    parts = [
        frame.rename(columns={name: f"nm{name}" for name in frame.columns if name.isdigit()})
        .assign(sample=np.arange(1, len(frame) + 1))
        .assign(instrument=instrument)
        for frame, instrument in zip(published, INSTRUMENTS, strict=True)
    ]
    return _tidy(pd.concat(parts))


TABLETS = Source(
    name="tablets_nir",
    file="tablets.csv.gz",
    sha256="24ae5eee83de7b0bc20947e07e2c6512d7fe0494165a5a2bb2d10e518e961dc2",
    tidy=_tidy,
    origin="International Diffuse Reflectance Conference 2002; ChemometricsTools.jl, MIT",
    urls=(_REPOSITORY + "Pharma_Instrument1.csv", _REPOSITORY + "Pharma_Instrument2.csv"),
    convert=_convert,
)
