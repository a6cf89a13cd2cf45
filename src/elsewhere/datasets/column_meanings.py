"""Whole numbers that are no amounts: identifiers, codes, years, and parts of a date."""

import re
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

Ends = tuple[int, int]

YEARS = 1000, 2999
DAYS = 1900_01_01, 2100_12_31  # dates written as numbers
PARTS: dict[str, tuple[Ends, str]] = {  # of a date: the last word of a name, the range, the words
    "month": ((0, 12), "months, by their name"),
    "quarter": ((1, 4), "quarters of a year, by their name"),
    "week": ((0, 53), "weeks of a year, by their name"),
    "weekday": ((0, 7), "days of a week, by their name"),
    "day": ((0, 366), "days of a date, by their name"),
    "hour": ((0, 24), "hours of a day, by their name"),
    "minute": ((0, 59), "minutes of an hour, by their name"),
    "second": ((0, 60), "seconds of a minute, by their name"),
}
ALSO = {
    "yr": "year",
    "mon": "month",
    "mth": "month",
    "qtr": "quarter",
    "wk": "week",
    "woy": "week",
    "wday": "weekday",
    "dow": "weekday",
    "dom": "day",
    "mday": "day",
    "yday": "day",
    "doy": "day",
    "hr": "hour",
}
WITHIN = {  # a name such as hour_of_day
    "month of year": "month",
    "quarter of year": "quarter",
    "week of year": "week",
    "day of week": "weekday",
    "day of month": "day",
    "day of year": "day",
    "hour of day": "hour",
    "minute of hour": "minute",
}
_IDENTIFIER = re.compile(r"id|index|idx|nr|number|row|key|code|uuid")
OWNERS = (
    "patient|subject|sample|customer|user|device|sensor|participant|person|record|case|client|"
    "account|order|visit|encounter|admission|hadm|store|item|product"
)
_CODE = re.compile(
    "zip|zipcode|postcode|postal|plz|fips|cpt|ndc|loinc|snomed|hcpcs|naics|npi|mrn|ssn|sku|ean|isbn|"
    "barcode|device|batch|plate|scanner|site|hospital|ward"
)
_ICD = re.compile(r"\bicd ?(9|10|11)?( cm)?( code)?$")  # 250.83 is one of these codes
_OWNED = re.compile(rf"({OWNERS})(id|nr|no|num|number|code)")


def no_amount(name: str, values: pa.ChunkedArray) -> str:
    """Why a column of numbers holds no amounts, by its name and its values; empty where it does."""
    words, values = words_of(name), _known(values)
    last = words[-1] if words else ""
    if _ICD.search(" ".join(words)):
        return "codes, by their name"
    if not is_whole(values):
        return ""
    if _IDENTIFIER.fullmatch(last) or _OWNED.fullmatch("".join(words[-2:])):
        return "an identifier, by its name"
    if _CODE.fullmatch(last):
        return "codes, by their name"
    return of_calendar(words, values)


def words_of(name: str) -> list[str]:
    """birthMonth, birth_month and "Birth month" have the words birth and month."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[_\s.\-]+", apart.lower()) if word]


def is_whole(values: pa.ChunkedArray) -> bool:
    """Integers, or floats without a fraction, which integers with gaps become in some files."""
    if pa.types.is_integer(values.type):
        return len(values) > 0
    if not pa.types.is_floating(values.type):
        return False
    values = pc.cast(values, pa.float64())  # no half precision is rounded down
    return len(values) > 0 and bool(pc.all(pc.equal(values, pc.floor(values))).as_py())  # type: ignore[attr-defined]


def of_calendar(words: list[str], values: pa.ChunkedArray) -> str:
    """Why whole numbers are years, parts of a date or dates such as 20240131; else empty."""
    ends = pc.min_max(values).as_py()  # type: ignore[attr-defined]
    part = _part(words)
    if part == "year" and _between(ends, YEARS):
        return "years, by their name"
    if part in PARTS and _between(ends, PARTS[part][0]):
        return PARTS[part][1]
    return "dates as numbers" if _between(ends, DAYS) and _are_dates(values) else ""


def _part(words: list[str]) -> str:
    """The part of a date that a name ends with; "per hour" is a rate, and "hours" a duration."""
    if (within := WITHIN.get(" ".join(words[-3:]))) is not None:
        return within
    if not words or "per" in words[-2:-1]:
        return ""
    return ALSO.get(words[-1], words[-1])


def _are_dates(values: pa.ChunkedArray) -> bool:
    text = pc.cast(pc.cast(values, pa.int64()), pa.string())  # type: ignore[attr-defined]
    read = pc.strptime(text, "%Y%m%d", "s", error_is_null=True)  # type: ignore[attr-defined]
    return pc.strftime(read, "%Y%m%d").fill_null("").equals(text)  # type: ignore[attr-defined]


def _known(values: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_floating(values.type):
        return values.drop_null()
    return values.filter(pc.is_finite(values))  # type: ignore[attr-defined]


def _between(ends: dict[str, Any], allowed: Ends) -> bool:
    return allowed[0] <= ends["min"] and ends["max"] <= allowed[1]
