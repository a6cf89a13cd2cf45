"""The built documentation, opened from its folder: `make docs` builds it and runs this."""

from pathlib import Path

import pytest

SITE = Path(__file__).parent.parent / "site"
PAGES = ["index.html", "howto/tables.html"]


@pytest.mark.skipif(not SITE.exists(), reason="the site is not built; `make docs` builds it")
@pytest.mark.parametrize("page", PAGES)
def test_search_works_from_the_folder_without_a_network(browser, page):
    opened, asked = browser.new_page(), []
    opened.on("request", lambda request: asked.append(request.url))
    opened.goto((SITE / page).as_uri())
    opened.click("input[name=query]")
    opened.wait_for_selector("text=Type to start searching")
    opened.keyboard.type("add_domain")
    found = opened.wait_for_selector(".md-search-result__link").get_attribute("href")
    opened.close()
    assert found.startswith(SITE.as_uri())
    assert all(url.startswith("file:") for url in asked)
