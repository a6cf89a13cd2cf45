"""Make the screenshots of the app and the report: python docs/make_screenshots.py [folder].

The tests that check every page take them: `tests/app/test_screenshots.py`. Needs the extras `test`
and `app`, and Chromium.
"""

import os
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "screenshots"
    os.environ["ELSEWHERE_SCREENSHOTS"] = str(folder.resolve())
    sys.exit(pytest.main([str(DOCS.parent / "tests" / "app" / "test_screenshots.py"), "-q"]))
