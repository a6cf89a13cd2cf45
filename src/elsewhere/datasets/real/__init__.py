"""Real tables in which the same sample was measured in every domain, so that the truth is known."""

from elsewhere.datasets.real.cell_lines import load_cell_lines
from elsewhere.datasets.real.corn import load_corn
from elsewhere.datasets.real.gas import load_gas
from elsewhere.datasets.real.paired import PairedData
from elsewhere.datasets.real.source import RealDataError
from elsewhere.datasets.real.tablets import load_tablets
from elsewhere.datasets.real.weather import load_weather

__all__ = [
    "PairedData",
    "RealDataError",
    "load_cell_lines",
    "load_corn",
    "load_gas",
    "load_tablets",
    "load_weather",
]
