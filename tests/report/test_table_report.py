"""The page on a table: whole, self-contained, escaped, and of a size that does not explode."""

import re
from html import escape

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.report import write_report
from elsewhere.report.one_row import as_sure_as
from elsewhere.report.overview import CELLS, overview
from elsewhere.report.page import page
from elsewhere.report.style import short
from elsewhere.report.table_report_pictures import column_figure, errors_figure
from elsewhere.trust import trust_report
from elsewhere.trust.case import make_case
from elsewhere.trust.judgement import WORDS
from elsewhere.trust.moves import moves
from fitted import estimator_with, table_of, true_model

OURS = [' type="application/json" id="looks"', ' type="application/json" id="model"', ""]


def scripts_of(text):
    """The attributes of every script element of a page."""
    return re.findall(r"<script([^>]*)>", text)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    names = ("<b>Ash</b>", "Birch & Beech", "Cedar")
    truth = true_model(names=names)
    X, labels = table_of(truth, columns=["a < b", "b", "c"])
    estimator = estimator_with(X, truth)
    trust = trust_report(estimator, X, labels, invariants=["b"], planted=False)
    path = tmp_path_factory.mktemp("report") / "deep" / "report.html"
    write_report(estimator, X, labels, path, trust=trust, command="elsewhere report <x>")
    return path.read_text(), trust, path


def test_it_needs_nothing_from_elsewhere(written):
    text, _, path = written
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert "@import" not in text
    assert scripts_of(text) == OURS
    assert "default-src 'none'" in text
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_what_the_user_named_is_escaped(written):
    text, _, _ = written
    assert "&lt;b&gt;Ash&lt;/b&gt;" in text
    assert "<b>Ash" not in text
    assert "Birch &amp; Beech" in text
    assert "elsewhere report &lt;x&gt;" in text


@pytest.mark.parametrize(
    "nasty", ["<script>alert(1)</script>", '<span class="badge"><script>alert(1)</script>']
)
def test_no_name_is_markup(tmp_path, nasty):
    """A domain and a column of a table that somebody else has written."""
    names = (nasty, "Birch", f"{nasty}2")
    truth = true_model(names=names)
    X, labels = table_of(truth, rows=60, columns=[f"{nasty}a", "b", "price $_{$"])
    estimator = estimator_with(X, truth)
    trust = trust_report(estimator, X, labels, invariants=[f"{nasty}a"], planted=False)
    path = tmp_path / "r.html"
    text = write_report(estimator, X, labels, path, trust=trust, command=nasty).read_text()
    assert nasty not in text
    assert scripts_of(text) == OURS
    assert "alert(1)</script" not in text
    assert text.count("&lt;script&gt;") > 10


def test_every_verdict_is_there_in_words_and_colour(written):
    text, trust, _ = written
    for verdict in trust.verdicts.values():
        assert WORDS[verdict.level] in text
    assert f'<section class="banner {trust.decision.level}">' in text
    assert all(escape(reason.verdict.words) in text for reason in trust.decision.reasons)
    assert all(a.words in text for a in trust.assumptions.assumptions)
    assert "DomainCounterfactual(" in text
    assert "jax " in text


def test_pictures_have_words_for_those_who_cannot_see_them(written):
    text, _, _ = written
    images = re.findall(r"<img[^>]*>", text)
    assert len(images) == 1 + 1 + 4 * 4  # the overview, boxes, and pictures of pairs
    assert all(re.search(r'alt="[^"]+"', image) for image in images)


def test_many_domains_and_columns_do_not_explode(tmp_path, monkeypatch):
    for name, value in {"CLOSED": 1, "COLUMNS": 2}.items():
        monkeypatch.setattr(f"elsewhere.report.the_answer.{name}", value)
    names = tuple(f"Hospital {i}" for i in range(8))
    truth = true_model(num_domains=8, names=names)
    X, labels = table_of(truth, rows=60, columns="abc")
    estimator = estimator_with(X, truth)
    trust = trust_report(estimator, X, labels, planted=False)
    text = write_report(estimator, X, labels, tmp_path / "r.html", trust=trust).read_text()
    assert len(re.findall("<img", text)) == 1 + 1 + (2 + 1) * (2 + 1)
    assert len(re.findall("<tr>", text)) < 2 * CELLS * CELLS
    assert len(text) < 1_500_000
    assert f"The {CELLS * CELLS} largest moves in numbers" in text
    assert "on the way to the other domains" in text  # instead of 56 pairs
    assert "The 2 of 3 columns that move most." in text


def test_small_pieces():
    assert short("a rather long name 11", 13) == "a rath…ame 11"
    assert short("short", 13) == "short"
    assert b"&lt;i&gt;" in page("<i>", [])
    flat = column_figure("x", np.ones(5), np.ones(5), np.ones(5))
    assert flat.axes[0].get_title() == "x"
    bars = errors_figure({"ours": 0.0, "identity": 1.0}, "ours").axes[0]
    labels = [label.get_text() for label in bars.get_yticklabels()]
    assert labels == ["nothing: rows as they are", "ours"]


def moments_page(tmp_path, p, rows=40):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2 * rows, p))
    x[rows:, : p // 2] += 3
    X = pd.DataFrame(x, columns=[f"c{j}" for j in range(p)])
    labels = np.repeat(["a", "b"], rows)
    estimator = DomainCounterfactual(mixing="moments").fit(X, labels)
    trust = trust_report(estimator, X, labels, planted=False)
    path = tmp_path / "r.html"
    return write_report(estimator, X, labels, path, trust=trust).read_text(), estimator


def test_the_first_lines_say_what_differs_and_a_table_what_was_considered(tmp_path):
    text, estimator = moments_page(tmp_path, 4)
    assert estimator.difference_.startswith("The domains differ by an offset in ")
    assert text.index("Should I use these answers?") < text.index("Between domains, some columns")
    assert text.index("Between domains, some columns") < text.index("The domains differ by an off")
    assert "What was considered" in text
    assert "<td>not used</td>" in text
    assert "<td>± 0." in text
    assert "c0 in a, in b, and moved from a to b" in text


def test_a_wide_table_has_a_heat_map_and_no_histograms(tmp_path):
    text, _ = moments_page(tmp_path, 60)
    assert "Mean move of the 40 of 60 columns that move most" in text
    assert "and moved from a to b" not in text
    assert text.count("<img") == 2  # and boxes before and after
    assert len(text) < 1_000_000


def test_with_many_domains_the_overview_is_by_domain():
    rng, labels = np.random.default_rng(0), np.repeat([f"site {i}" for i in range(14)], 20)
    X = rng.standard_normal((280, 2))
    X[labels == "site 5"] += 3
    estimator = DomainCounterfactual(mixing="moments").fit(X, labels)
    found = moves(make_case(estimator, X, labels, 0))
    pairs, columns = list(found.by_pair()), list(found.by_column())
    figure, caption = overview(found, pairs, columns)
    assert caption.endswith("The 12 of 14 domains that move most.")
    assert figure.axes[0].get_yticklabels()[0].get_text() == "site 5"


@pytest.mark.parametrize(
    ("value", "width", "shown"),
    [
        (13.5934, 0.8, "13.59"),
        (2.7103, 1.37, "2.7"),
        (-0.0001, 0.5, "0.00"),
        (1234567.8, 3000.0, "1234568"),
        (141.0, 1.0, "141"),
        (0.12345, 0.0, "0.1235"),
        (5e12, 10.0, "5e+12"),
        (float("nan"), 1.0, "–"),
    ],
)
def test_an_answer_has_the_digits_that_its_interval_gives_sense_to(value, width, shown):
    assert as_sure_as(value, width) == shown
