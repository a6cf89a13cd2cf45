"""Tiny tables of random numbers in the layouts of the real files."""

import numpy as np
import pandas as pd


def tablets(rng, samples=4):
    """As prepared: one row per tablet and instrument; some wavelengths on both sides of 1600."""
    spectra = [f"nm{w}" for w in (600, 602, 1598, 1600, 1898)]
    rows = [
        {"sample": i, "instrument": d, "split": "Train", "weight": 1.5, "hardness": 2, "assay": 3}
        for d in (1, 2)
        for i in range(1, samples + 1)
    ]
    values = pd.DataFrame(rng.normal(size=(len(rows), len(spectra))).round(6), columns=spectra)
    return pd.concat([pd.DataFrame(rows), values], axis=1)


def published_tablets(prepared):
    """As published: one file per instrument, rows in order, wavelengths by number."""
    files = []
    for d in (1, 2):
        part = prepared[prepared["instrument"] == d].drop(columns=["sample", "instrument"])
        part = part.rename(columns={"split": "SampleType"})
        files.append(part.rename(columns=lambda name: name.removeprefix("nm")))
    return files


def gas(rng, exposures=4):
    """As prepared: the last two boards saw half of the exposures."""
    boards = {"B1": exposures, "B2": exposures, "B3": exposures}
    boards |= {"B4": exposures // 2, "B5": exposures // 2}
    rows = [
        {"exposure": f"GCO_F010_R{i}", "board": board, "gas": "GCO"}
        for board, count in boards.items()
        for i in range(count)
    ]
    names = [f"s{s}_{kind}" for s in range(1, 9) for kind in ("amp", "max")]
    values = rng.normal(size=(len(rows), len(names)))
    rounded = [[float(f"{value:.6g}") for value in row] for row in values]
    return pd.concat([pd.DataFrame(rows), pd.DataFrame(rounded, columns=names)], axis=1)


def published_gas(prepared):
    """As published: the board is part of the name, and numbers have all their digits."""
    numbers = prepared.filter(regex="^s").map(lambda v: float(np.nextafter(v, np.inf)))
    names = prepared["board"] + "_" + prepared["exposure"]
    return pd.concat(
        [pd.DataFrame({"filename": names, "board": prepared["board"]}), numbers], axis=1
    )


def cell_lines(rng, lines=5):
    """As prepared: gene g varies with standard deviation g + 1."""
    rows = [
        {"cell_line": f"BR.{i}", "tissue": "BR", "array": array}
        for array in ("gpl570", "gpl96")
        for i in range(lines)
    ]
    base = rng.normal(size=(len(rows), 1))
    genes = pd.DataFrame(base * [1.0, 2.0, 3.0, 4.0], columns=["A", "B", "C", "D"]).round(4)
    return pd.concat([pd.DataFrame(rows), genes], axis=1)
