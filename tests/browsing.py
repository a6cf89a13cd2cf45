"""The app in a tab of a real browser, and words that no first screen may hold."""

from contextlib import contextmanager

TOKEN = "a-token-of-the-tests"
JARGON = ("nats", "noise 0", "leaky", "condition of", "softplus", "planted", "codes", "mixing")


@contextmanager
def tab_with_token(browser, address):
    """A tab that has shown the token; `tab.asked` has every address it asked for."""
    context = browser.new_context(accept_downloads=True)
    tab = context.new_page()
    tab.asked = []
    context.on("request", lambda request: tab.asked.append(request.url))
    tab.goto(f"{address}/?token={TOKEN}")
    yield tab
    context.close()


def jargon_in(text):
    """The words of it that need a statistician."""
    return [word for word in JARGON if word in text.lower()]
