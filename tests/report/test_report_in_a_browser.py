"""The page in a real browser: what it moves is what Python moves; tables sort; nothing is run."""

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from elsewhere.bijections import Affine
from elsewhere.estimators import DomainCounterfactual, Link
from elsewhere.estimators.columns import read_columns
from elsewhere.estimators.link_space import LinkSpace
from elsewhere.fitting import Candidate, FitResult
from elsewhere.mixing import leaky_linear
from elsewhere.model import ILD
from elsewhere.report import write_report
from elsewhere.report.move_your_rows import move_your_rows
from elsewhere.report.page import write_page
from elsewhere.report.portable_model import portable
from elsewhere.scm import LinearSCM
from elsewhere.trust import trust_report
from elsewhere.trust.case import make_case

NASTY = "<script>window.ran = 1</script>"
KINDS = ["free", "positive", "bounded", "count", "skewed", f"b{NASTY}"]


def table(n=500, seed=0):
    """Every kind of link in two domains, one of them named by a stranger."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((2 * n, 6)) @ (np.eye(6) + 0.3 * rng.standard_normal((6, 6)))
    z[n:] = 1.3 * z[n:] + rng.standard_normal(6)
    X = pd.DataFrame(
        {
            "free": 3 * z[:, 0],
            "positive": 20 + np.abs(z[:, 1]),
            "bounded": 1 / (1 + np.exp(-2 * z[:, 2])),
            "count": np.rint(30 + 5 * z[:, 3]).clip(0),
            "skewed": np.exp(1.5 * z[:, 4]),
            KINDS[5]: z[:, 5],
        }
    )
    labels = pd.Series(np.repeat([f"a{NASTY}", "b"], n), name="site")
    return X, labels


def by_moments():
    X, labels = table()
    return DomainCounterfactual(mixing="moments").fit(X, labels), X, labels


def by_leaky_layers():
    """A leaky mixing and linear mechanisms behind links of every shape, never fitted."""
    X, labels = table()
    estimator, rng = by_moments()[0], np.random.default_rng(1)
    mix = np.eye(6) + 0.2 * rng.standard_normal((6, 6))
    scms = [
        LinearSCM(np.tril(0.3 * rng.standard_normal((6, 6)), -1), np.full(6, 1.0 + d), np.ones(6))
        for d in (0, 1)
    ]
    shift = jnp.asarray(rng.standard_normal(6))
    model = ILD(leaky_linear(jnp.asarray(mix), shift), scms, estimator.domains_)
    other = ILD(Affine(mix), scms, estimator.domains_)
    both = tuple(Candidate(m, -1.0, -1.0, "by hand") for m in (model, other))
    estimator.result_ = FitResult(both, 2, -1.0, 0.1, 0.1, "by hand")
    estimator.mixing_ = "leaky"
    return estimator, X, labels


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    estimator, X, labels = by_moments()
    path = tmp_path_factory.mktemp("page") / "report.html"
    trust = trust_report(estimator, X, labels, planted=False)
    write_report(estimator, X, labels, path, trust=trust)
    return path, estimator, X, labels


@pytest.fixture(scope="module")
def leaky(tmp_path_factory):
    """A page with the zone alone, and a model of layers."""
    estimator, X, labels = by_leaky_layers()
    path = tmp_path_factory.mktemp("leaky") / "page.html"
    write_page(path, "Move", move_your_rows(make_case(estimator, X, labels, 0)))
    return path, estimator, X, labels


@pytest.fixture
def context(browser):
    opened = browser.new_context(accept_downloads=True)
    yield opened
    opened.close()


def opened_in(context, path):
    page = context.new_page()
    page.goto(path.as_uri())
    return page


@pytest.fixture
def page(context, written):
    return opened_in(context, written[0])


def drop(page, path, to):
    page.select_option("#drop-to", to)
    page.set_input_files("#drop-file", path)
    page.wait_for_function("document.getElementById('drop-said').textContent")


def moved_in(page):
    with page.expect_download() as download:
        page.click("#drop-link")
    return pd.read_csv(download.value.path())


def test_all_links_are_there(written):
    shapes = {link.shape for link in written[1].links_.values()}
    assert shapes == {"identity", "softplus", "logit", "log"}
    assert any(link.whole for link in written[1].links_.values())


@pytest.mark.parametrize("kind", ["written", "leaky"])
def test_rows_dropped_on_the_page_are_moved_as_python_moves_them(context, kind, request, tmp_path):
    html, estimator, X, labels = request.getfixturevalue(kind)
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    X.assign(site=labels, note='x, "y"').to_csv(path, index=False)
    for target in estimator.domains_:
        drop(page, path, target)
        assert "1000 rows of rows.csv moved" in page.inner_text("#drop-said")
        theirs = moved_in(page)
        ours = estimator.counterfactual(X, source=labels, target=target)
        for name, link in estimator.links_.items():
            wrong = np.abs(theirs[name] - ours[name])
            if link.whole:  # a half may be rounded either way
                assert (wrong > 0).mean() < 0.01
                assert wrong.max() <= 1
            else:
                assert (wrong <= 1e-6 * np.abs(ours[name]) + 1e-9).all(), name
        assert set(theirs["site"]) == {target}
        assert set(theirs["note"]) == {'x, "y"'}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X: X.drop(columns="free"), "lacks the column(s) free"),
        (lambda X: X.assign(free="x"), "Row 1, column free: x is not a number"),
        (lambda X: X.assign(free=np.nan), "Row 1, column free is empty. This page moves complete"),
        (lambda X: X.assign(bounded=2.0), "outside the range that was fitted"),
        (lambda X: X.assign(site="nowhere"), "does not know the domain nowhere"),
        (lambda X: X[:0], "holds no rows"),
    ],
)
def test_what_cannot_be_moved_is_said(page, written, tmp_path, change, message):
    path = tmp_path / "rows.csv"
    change(written[2][:5].assign(site=written[3][:5])).to_csv(path, index=False)
    drop(page, path, "b")
    assert message in page.inner_text("#drop-said")
    assert page.query_selector("#drop-link") is None


def test_tables_sort_and_columns_can_be_chosen(page):
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    table = page.locator("table", has=page.locator("th", has_text="median before")).first
    table.locator("th button", has_text="mean move").click()
    values = [float(text) for text in table.locator("tbody td:nth-child(5)").all_inner_texts()]
    assert values == sorted(values)
    page.select_option("#look-column", label="count")
    page.select_option("#look-from", label="b")
    assert page.locator("#look-to").input_value() != page.locator("#look-from").input_value()
    said = page.inner_text("#look-said")
    assert said.startswith("Median in b: ")
    page.hover("#look-chart svg", position={"x": 200, "y": 50})
    assert page.inner_text("#look-said") != said
    assert "%" in page.inner_text("#look-said")


def test_long_names_and_narrow_screens_need_no_scrolling_sideways(browser, written):
    tab = browser.new_page(viewport={"width": 390, "height": 800})
    tab.goto(written[0].as_uri())
    tab.evaluate(
        "document.querySelector('#look-column').append("
        "new Option('C-reactive protein, serum (mg/L), high-sensitivity assay, fasting, repeated'))"
    )
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    ticks = [float(text) for text in tab.locator("#look-chart .tick").all_text_contents()]
    steps = np.diff(ticks)
    assert 3 <= len(ticks) <= 10
    np.testing.assert_allclose(steps, steps[0])
    tab.close()


def test_nothing_runs_and_nothing_is_fetched(context, written):
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(written[0].as_uri())
    assert page.evaluate("window.ran") is None
    assert [url for url in asked if not url.startswith("data:")] == [written[0].as_uri()]
    assert NASTY in page.inner_text("main")


def test_a_picture_is_enlarged_and_put_back_by_keyboard(browser, written, axe):
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(written[0].as_uri())
    button = page.locator("button.enlarge").first
    small = button.locator("img").bounding_box()["width"]
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator("dialog img").bounding_box()["width"] > 1.5 * small
    assert axe(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")  # browsers say "close" a moment later
    assert button.evaluate("one => one === document.activeElement")
    button.click()
    page.click("dialog button")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_it_reads_without_scripts(browser, written):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(written[0].as_uri())
    text = page.inner_text("main")
    assert "Should I use these answers?" in text
    assert "One row, before and after" in text
    assert not page.is_visible("#drop")
    assert page.is_visible("figure > img")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_screen_reader_finds_its_way(browser, written, axe, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(written[0].as_uri())
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_model_that_a_page_cannot_carry_is_not_carried(written):
    _, estimator, X, labels = written
    other = DomainCounterfactual()
    vars(other).update(vars(estimator))
    other.space_ = LinkSpace(read_columns(X, X.to_numpy(float)), (Link(),) * 6)
    case = make_case(other, X, labels, 0)
    assert portable(case) is not None

    class Opaque:
        domains = estimator.domains_

        def move(self, x, *, d, d_prime):
            return np.asarray(x)

    other.result_ = FitResult((Candidate(Opaque(), 0.0, 0.0, "x"),), 0, 0.0, 0.0, 0.0, "x")
    assert portable(make_case(other, X, labels, 0)) is None
