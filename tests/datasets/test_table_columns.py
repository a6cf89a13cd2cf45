"""Which columns are modelled: amounts; and stray cells, which are never carried in silence."""

import numpy as np
import pandas as pd
import pytest

from elsewhere.datasets.table_columns import sort_columns
from elsewhere.datasets.tables import TableError, open_table

RNG = np.random.default_rng(0)
AMOUNT = RNG.normal(size=40).round(3)


def sorted_columns(tmp_path, **columns):
    path = tmp_path / "table.csv"
    pd.DataFrame({"site": ["a", "b"] * 20, "amount": AMOUNT, **columns}).to_csv(path, index=False)
    file = open_table(str(path))
    return sort_columns(file, file.read(), "site")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0, 1] * 20, "two values"),
        (["yes", "no"] * 20, "no numbers"),
        (list(range(100, 140)), "an identifier"),
        ([f"{i:03d}" for i in range(40)], "codes with leading zeros"),
        (["2020-01-01"] * 40, "no numbers"),
        ([20240101 + i % 28 for i in range(40)], "dates as numbers"),
    ],
)
def test_what_is_no_amount_is_carried_with_the_reason(tmp_path, values, why):
    found = sorted_columns(tmp_path, other=values)
    assert found.modelled == ("amount",)
    assert found.carried == {"other": why}


def test_an_identifier_by_its_name(tmp_path):
    repeated = RNG.integers(0, 9, 40)
    found = sorted_columns(tmp_path, sensor_index=repeated, humidity=repeated)
    assert found.modelled == ("amount", "humidity")
    assert found.carried == {"sensor_index": "an identifier, by its name"}


def test_years_by_their_name_and_numbers_that_only_look_like_dates(tmp_path):
    years, near = 1950 + RNG.integers(0, 9, 40), 20240121 + RNG.integers(0, 30, 40)
    found = sorted_columns(tmp_path, birth_year=years, height=years, steps=near, year_10=years)
    assert found.modelled == ("amount", "height", "steps", "year_10")
    assert found.carried == {"birth_year": "years, by their name"}


@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("month", RNG.integers(1, 13, 40), "months, by their name"),
        ("birthMonth", RNG.integers(1, 13, 40), "months, by their name"),
        ("day", RNG.integers(1, 32, 40), "days of a date, by their name"),
        ("day_of_week", RNG.integers(0, 7, 40), "days of a week, by their name"),
        ("hour", RNG.integers(0, 24, 40).astype(float), "hours of a day, by their name"),
        ("Quarter", RNG.integers(1, 5, 40), "quarters of a year, by their name"),
        ("zip", RNG.integers(10_000, 99_999, 40), "codes, by their name"),
        ("icd_9", 250 + RNG.integers(0, 99, 40) / 100, "codes, by their name"),
        ("device", RNG.integers(0, 9, 40), "codes, by their name"),
        ("PatientID", RNG.integers(0, 9_999, 40), "an identifier, by its name"),
        ("SampleNo", RNG.integers(0, 9_999, 40), "an identifier, by its name"),
        ("patientid", RNG.integers(0, 9_999, 40), "an identifier, by its name"),
    ],
)
def test_parts_of_a_date_and_codes_are_known_by_name_and_range(tmp_path, name, values, why):
    found = sorted_columns(tmp_path, **{name: values})
    assert found.carried == {name: why}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("month", RNG.integers(1, 40, 40)),  # of a follow-up, say
        ("hours", RNG.integers(0, 24, 40)),  # a duration
        ("steps_per_hour", RNG.integers(0, 24, 40)),
        ("hour", RNG.uniform(0, 24, 40)),  # hours with their fractions
        ("acid", RNG.integers(0, 9, 40)),
        ("NO", RNG.integers(0, 90, 40)),  # nitric oxide
    ],
)
def test_amounts_with_such_a_name_or_range_are_modelled(tmp_path, name, values):
    assert sorted_columns(tmp_path, **{name: values}).modelled == ("amount", name)


def test_whole_numbers_with_gaps_are_known_in_any_file(tmp_path):
    months = RNG.integers(1, 13, 40).astype(float)
    months[3] = np.nan
    table = pd.DataFrame({"site": ["a", "b"] * 20, "amount": AMOUNT, "month": months})
    for path in (tmp_path / "table.csv", tmp_path / "table.parquet"):
        table.to_csv(path, index=False) if path.suffix == ".csv" else table.to_parquet(path)
        file = open_table(str(path))
        found = sort_columns(file, file.read(), "site")
        assert found.carried == {"month": "months, by their name"}, path.suffix


@pytest.mark.parametrize("stray", ["?", "<0.1", "1.234e", "1,234", "12 %"])
def test_a_stray_cell_stops_with_its_row_and_the_remedy(tmp_path, stray):
    values = [*map(str, AMOUNT)]
    values[6] = stray
    with pytest.raises(TableError, match="holds numbers but for 1 of 40 cells") as error:
        sorted_columns(tmp_path, lab=values)
    assert f"{stray!r} in row 7" in str(error.value)
    assert "--na" in str(error.value)


def test_missing_values_are_no_stray_cells(tmp_path):
    values = [*map(str, AMOUNT)]
    values[6] = "NA"
    assert sorted_columns(tmp_path, lab=values).modelled == ("amount", "lab")
