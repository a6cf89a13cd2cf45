"""A browser's window for the pages of a report."""

import pytest


@pytest.fixture
def context(browser):
    opened = browser.new_context(accept_downloads=True)
    yield opened
    opened.close()
