"""A sweep that was interrupted, wherever, ends as one that nobody disturbed."""

import json
from itertools import islice

import pytest

from elsewhere.experiments import rows as kept_rows
from elsewhere.experiments.cells import Cell, Setting
from elsewhere.experiments.methods import FITS
from elsewhere.experiments.rows import KeptRows, RowKey
from elsewhere.experiments.sweep import CODE, Plan, sweep

SETTING = Setting(3, 2, (2,), "sparse")
CELLS = [Cell("S2", str(k), SETTING, k) for k in (1, 2)]
PLAN = Plan(seeds=[0], rows=50)
NUM_ROWS = 2 + 1 + 4  # Can for each k, Dense, baselines


def one_search_for_all(setting, seed, rows, methods):
    """Rows as of an engine whose fits depend on which others it makes, as Dense by a flow does."""
    fits = [method for method in methods if method.name in FITS]
    for method in fits:
        yield method, {"method": method.name, "seed": seed, "found_with": repr(fits)}
    for method in methods:
        if method not in fits:
            yield method, {"method": method.name, "seed": seed, "found_with": ""}


def interrupted_after(count):
    """The same, stopped as by Ctrl-C once so many rows have been made."""
    made = iter(range(count))

    def rows(*asked):
        for pair in one_search_for_all(*asked):
            if next(made, None) is None:
                raise KeyboardInterrupt
            yield pair

    return rows


@pytest.fixture
def run_methods(monkeypatch):
    return lambda made: monkeypatch.setattr("elsewhere.experiments.sweep.run_methods", made)


@pytest.mark.parametrize("count", range(NUM_ROWS))
def test_a_resumed_sweep_is_equal_to_the_byte(tmp_path, run_methods, count):
    run_methods(one_search_for_all)
    undisturbed = sweep(CELLS, PLAN, tmp_path / "whole").to_csv()
    run_methods(interrupted_after(count))
    with pytest.raises(KeyboardInterrupt):
        sweep(CELLS, PLAN, tmp_path / "resumed")
    run_methods(one_search_for_all)
    assert sweep(CELLS, PLAN, tmp_path / "resumed").to_csv() == undisturbed


@pytest.mark.parametrize("count", range(5))
def test_rows_made_together_are_kept_together(tmp_path, monkeypatch, count):
    kept, writes = KeptRows(tmp_path, CODE), iter(range(count))
    rows = {RowKey("cell", name, 0): {"error": value} for value, name in enumerate("abc")}
    write_whole = kept_rows.write_whole

    def killed(path, content):
        if next(writes, None) is None:
            raise KeyboardInterrupt
        return write_whole(path, content)

    monkeypatch.setattr(kept_rows, "write_whole", killed)
    if count <= len(rows):
        with pytest.raises(KeyboardInterrupt):
            kept.put_together(rows)
    else:
        kept.put_together(rows)
    monkeypatch.undo()
    kept.finish()
    assert [kept.get(key) for key in rows] == ([*rows.values()] if count else [None] * 3)
    assert not list(tmp_path.glob("*.json"))


def test_code_that_changes_during_a_sweep_stops_it(tmp_path, run_methods):
    """Workers that start late import the new code: their rows are not those that were asked for."""

    def edited(*asked):
        yield from islice(one_search_for_all(*asked), 4)
        for path in tmp_path.glob("*/*.json"):
            path.write_text(json.dumps(json.loads(path.read_text()) | {"made_by": "new code"}))

    run_methods(edited)
    with pytest.raises(ValueError, match=r"of 1 data set.*it changed while the sweep ran"):
        sweep(CELLS, PLAN, tmp_path)
