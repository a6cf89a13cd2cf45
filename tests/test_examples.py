"""The examples run, and their own assertions hold."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.stem != "compare")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_example(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    runpy.run_path(str(script), run_name="__main__")
    assert "identity" in capsys.readouterr().out


def test_every_example_has_its_page():
    pages = {path.stem for path in (EXAMPLES.parent / "docs" / "howto").glob("*.md")}
    assert {script.stem.replace("_", "-") for script in SCRIPTS} <= pages
