"""Rows dropped on a page, in a real browser: what it moves is what Python moves."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.report.dropped_tables import EVERY_KIND, NASTY, Dropped

from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting import Candidate, FitResult
from elsewhere.report.move_your_rows import move_your_rows
from elsewhere.report.page import write_page
from elsewhere.report.portable import NotCarriedError, portable
from elsewhere.trust.case import make_case


def case_of(made: Dropped):
    return make_case(made.estimator, made.X, made.labels, 0, covariates=made.covariates)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A page with the zone alone, and its model, of each kind; made when first asked for."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def page_of(kind):
        if kind not in known:
            made = EVERY_KIND[kind]()
            known[kind] = made, folder / f"{kind}.html"
            write_page(known[kind][1], "Move", move_your_rows(case_of(made)))
        return known[kind]

    return page_of


def opened_in(context, path):
    page = context.new_page()
    page.goto(path.as_uri())
    return page


def drop(page, path, to):
    page.select_option("#drop-to", to)
    page.set_input_files("#drop-file", path)
    page.locator("#drop-said", has_text=re.compile("moved to|Not moved")).wait_for()


def moved_in(page):
    with page.expect_download() as download:
        page.click("#drop-link")
    return pd.read_csv(download.value.path(), dtype=str, keep_default_na=False)


def assert_same_answers(made, theirs, target):
    """To 1e-6 relative; a half may be rounded either way, and gaps and levels are as they are."""
    ours, links = made.asked(target), made.estimator.links_
    for name in made.X.columns:
        text = ours[name].astype(object).where(ours[name].notna(), "").astype(str)
        if pd.api.types.is_numeric_dtype(ours[name]):
            assert ((theirs[name] == "") == ours[name].isna()).all(), name
            there = ours[name].notna()
            mine = ours[name][there].to_numpy(float)
            wrong = np.abs(theirs[name][there].astype(float) - mine)
            if name in links and links[name].whole and links[name].shape != "levels":
                assert (wrong > 0).mean() < 0.01, name
                assert wrong.max() <= 1
            else:
                assert (wrong <= 1e-6 * np.abs(mine) + 1e-9).all(), name
        else:
            assert (theirs[name] == text).all(), name


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_rows_are_moved_as_python_moves_them(context, pages, kind, tmp_path):
    made, html = pages(kind)
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    made.file().to_csv(path, index=False)
    targets = page.locator("#drop-to option").evaluate_all("all => all.map((one) => one.value)")
    for target in targets:
        drop(page, path, target)
        assert "1000 rows of rows.csv moved" in page.inner_text("#drop-said")
        theirs = moved_in(page)
        assert_same_answers(made, theirs, target)
        names = list(pd.DataFrame(made.labels).columns)
        assert (theirs[names].agg(" × ".join, axis=1) == target).all()
        assert set(theirs["note"]) == {'x, "y"'}


def test_the_kinds_are_what_they_are_called(pages):
    links = pages("by_moments")[0].estimator.links_
    assert {link.shape for link in links.values()} == {"identity", "softplus", "logit", "log"}
    assert links["count"].whole
    assert not pages("far_out")[0].estimator.links_["free"].counts_all
    links = pages("levels_zeros_and_sums")[0].estimator.links_
    assert {n: (a.shape == "levels", a.zeros, a.whole) for n, a in links.items()} == {
        "grade": (True, False, True),
        "stage": (True, False, True),
        "cost": (False, True, False),
        "visits": (False, True, True),
        "drug": (False, False, False),
        "nurse": (False, False, False),
    }
    kept = portable(case_of(pages("with_covariates")[0]))["covariates"]
    assert kept["carried"] == 0.7
    assert kept["spread"] is not None
    assert any(len(term) == 2 for term in kept["terms"])
    assert kept["columns"][0]["knots"]
    assert portable(case_of(pages("crossed")[0]))["unseen"] == ["B × 2", "C × 2"]
    assert "loadings" in portable(case_of(pages("wide")[0]))["gaps"]
    assert portable(case_of(pages("with_pairs")[0]))["models"][0]["corrections"]


def test_rows_of_one_domain_need_no_column_of_domains(context, pages, tmp_path):
    made, html = pages("crossed")
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    here = made.labels["scanner"] == "2"
    made.X[here].to_csv(path, index=False)
    page.select_option("#drop-from", "A × 2")
    drop(page, path, "B × 1")
    ours = made.estimator.counterfactual(made.X[here], source="A × 2", target="B × 1")
    np.testing.assert_allclose(moved_in(page).astype(float), ours, rtol=1e-6)


def test_a_screen_reader_finds_its_way_among_moved_rows(context, pages, axe, tmp_path):
    made, html = pages("crossed")
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    made.file().to_csv(path, index=False)
    drop(page, path, "B × 2")
    assert page.inner_text("#drop-to option:checked") == "B × 2 (no rows seen)"
    assert page.locator("#drop-out tbody tr").count() == 8
    assert axe(page) == []


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("by_moments", lambda X: X.drop(columns="free"), "lacks the column(s) free"),
        ("by_moments", lambda X: X.assign(free="x"), "Row 1, column free: x is not a number"),
        ("by_moments", lambda X: X.assign(bounded=2.0), "outside the range that was fitted"),
        ("by_moments", lambda X: X.assign(free=1e200), "outside the range that was fitted"),
        ("by_moments", lambda X: X.assign(site="nowhere"), "does not know the domain nowhere"),
        ("by_moments", lambda X: X[:0], "holds no rows"),
        (
            "levels_zeros_and_sums",
            lambda X: X.assign(grade="none"),
            "Row 1, column grade: none is not a level that was fitted",
        ),
        (
            "levels_zeros_and_sums",
            lambda X: X.drop(columns="total"),
            "lacks the column(s) total",
        ),
        ("with_covariates", lambda X: X.drop(columns="age"), "lacks the column(s) age"),
        ("with_covariates", lambda X: X.assign(age=""), "column age is empty; covariates must not"),
        (
            "with_covariates",
            lambda X: X.assign(diagnosis="other"),
            "column diagnosis: other is not a level that was fitted",
        ),
        ("crossed", lambda X: X.drop(columns="site"), "lacks the column(s) site"),
        ("crossed", lambda X: X.assign(site="Z"), "does not know the domain Z × 1"),
    ],
)
def test_what_cannot_be_moved_is_said(context, pages, tmp_path, kind, change, message):
    made, html = pages(kind)
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    change(made.file()[:5]).to_csv(path, index=False)
    drop(page, path, str(made.estimator.domains_[-1]))
    assert message in page.inner_text("#drop-said")
    assert page.query_selector("#drop-link") is None


def test_a_browser_that_computes_otherwise_moves_nothing(context, pages, tmp_path):
    made, html = pages("by_moments")
    page, path = opened_in(context, html), tmp_path / "rows.csv"
    made.file().to_csv(path, index=False)
    page.evaluate("() => { const exp = Math.exp; Math.exp = (x) => 1.001 * exp(x); }")
    drop(page, path, "b")
    assert "does not reach the answers of the model" in page.inner_text("#drop-said")


class Opaque:
    """A model that only Python can compute."""

    domains = (f"a{NASTY}", "b")

    def move(self, x, *, d, d_prime):
        return np.asarray(x)


def test_a_model_that_a_page_cannot_carry_is_not_carried(pages):
    made = pages("by_moments")[0]
    other = DomainCounterfactual()
    vars(other).update(vars(made.estimator))
    other.result_ = FitResult((Candidate(Opaque(), 0.0, 0.0, "x"),), 0, 0.0, 0.0, 0.0, "x")
    other.mixing_ = "real_nvp"
    case = case_of(made._replace(estimator=other))
    with pytest.raises(NotCarriedError, match="real_nvp"):
        portable(case)
    said = "".join(move_your_rows(case))
    assert "This page cannot carry a model of this kind (real_nvp)." in said
    assert "elsewhere counterfactual MODEL DATA.csv --to b --out moved.csv" in said


def test_no_row_of_the_data_is_carried(pages):
    made = pages("by_moments")[0]
    rows = {tuple(row) for row in made.X.to_numpy()}
    for check in portable(case_of(made))["checks"]:
        lines = [line.split(",") for line in check["before"].splitlines()[1:]]
        assert not {tuple(map(float, line)) for line in lines} & rows
