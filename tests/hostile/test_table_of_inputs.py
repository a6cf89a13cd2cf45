"""The page on inputs and faults names a test for every row, and every test is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "docs" / "reference" / "inputs-and-faults.md").read_text().splitlines()
    if line.startswith("|") and not re.match(r"\|(---| what )", line)
]

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("row", ROWS)
def test_every_row_is_tested(row):
    name = re.search(r"`([\w/]+\.py)::(\w+)` \|$", row)
    assert name, "the last column names no test"
    file = ROOT / "tests" / name[1]
    assert re.search(rf"def {name[2]}\(", file.read_text()), f"{name[1]} has no {name[2]}"


def test_the_page_is_not_empty():
    assert len(ROWS) > 35
