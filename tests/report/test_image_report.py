"""The page on a model of images: whole, self-contained, escaped."""

import re

import pytest

from elsewhere.report.by_kind import write_report
from elsewhere.trust import trust_report
from elsewhere.trust.judgement import WORDS
from pixels import draws, known

IMAGES, WHERE = draws(n=40)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    estimator = known(notes=("a <note>.",))
    trust = trust_report(estimator, IMAGES, WHERE)
    path = tmp_path_factory.mktemp("report") / "deep" / "report.html"
    write_report(estimator, IMAGES, WHERE, path, trust=trust, command="elsewhere <report>")
    return path.read_text(), trust, path


def test_it_needs_nothing_from_elsewhere(written):
    text, _, path = written
    assert not re.search(r"(src|href)=\"(?!data:)", text)
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]


def test_answers_checks_and_how_it_was_made_are_there(written):
    text, trust, _ = written
    assert "80 images of 8 × 8 pixels" in text
    assert "numbers, 1 may come about differently" in text
    assert len(re.findall(r"<img[^>]*alt=\"[^\"]+\"", text)) == 1
    assert all(WORDS[verdict.level] in text for verdict in trust.verdicts.values())
    assert f'<section class="banner {trust.decision.level}">' in text
    assert "ImageDomainCounterfactual(" in text
    assert "elsewhere &lt;report&gt;" in text
    assert "a &lt;note&gt;." in text
    assert "<note>" not in text


def test_checks_are_made_where_none_are_given(tmp_path):
    text = write_report(known(), IMAGES, WHERE, tmp_path / "r.html").read_text()
    assert "Should I use these answers?" in text
    assert "Yes" in text


@pytest.mark.parametrize(
    ("variant", "words"),
    [("dense", "all may come about differently"), ("independent", "a model of its own in each")],
)
def test_other_variants_are_named(tmp_path, variant, words):
    estimator = known().set_params(variant=variant)
    assert words in write_report(estimator, IMAGES, WHERE, tmp_path / "r.html").read_text()
