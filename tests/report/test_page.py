"""One page, from blocks: whole, self-contained, and with nothing in it that was not escaped."""

import re

import numpy as np
import pytest

from elsewhere.escaping import Html
from elsewhere.files import write_whole
from elsewhere.report.answer_pictures import arrows_figure, columns_figure, error_figure
from elsewhere.report.blocks import (
    badge,
    bullets,
    card,
    element,
    folded,
    heading,
    paragraph,
    picture,
    table,
    together,
)
from elsewhere.report.compared import COLUMNS, compared
from elsewhere.report.page import page, write_page
from elsewhere.trust import Judgement
from elsewhere.trust.case import Case
from elsewhere.trust.tables import Trust

RNG = np.random.default_rng(0)
NASTY = ("<script>alert(1)</script>", '<span class="badge"><img src=x onerror=alert(1)>', '" on="')


def test_a_page_is_self_contained_and_escaped(tmp_path):
    figure = error_figure({"ours": 0.01, "theirs": 1.0}, "ours")
    rows = [["method", "error"], ["ours", "0.01"]]
    blocks = [heading("a < b"), paragraph("x & y"), table(rows, best=0), picture(figure, "c")]
    text = write_page(tmp_path / "deep" / "page.html", "Title", blocks).read_text()
    assert "a &lt; b" in text
    assert "x &amp; y" in text
    assert '<tr class="best"><td>ours</td>' in text
    assert "data:image/svg+xml;base64," in text
    assert set(re.findall(r"https?://[^/\"]*", text)) == {"http://www.w3.org"}  # names of SVG


@pytest.mark.parametrize("text", NASTY)
def test_no_block_lets_a_name_through_as_markup(text):
    figure = error_figure({"ours": 1.0}, "ours")
    verdict = Judgement("good", text)
    blocks = [
        heading(text),
        paragraph(text),
        bullets([text]),
        table([[text], [text]]),
        card(text, verdict),
        folded(text, paragraph(text)),
        picture(figure, text),
        element("pre", text, kind=text),
        together([paragraph(text)]),
    ]
    made = [*map(str, blocks), page(text, blocks).decode()]
    for html in made:
        assert text not in html
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_only_what_a_block_made_is_markup():
    assert badge("bad") in table([["x"], [badge("bad")]])
    copied = str(badge("bad"))
    assert copied not in table([["x"], [copied]])
    assert type(f"{badge('bad')}") is str
    assert isinstance(together([badge("bad")]), Html)


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = write_whole(tmp_path / "file", b"old")
    with pytest.raises(TypeError):
        write_whole(path, "not bytes")  # type: ignore[arg-type]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_arrows_run_from_truth_to_estimate():
    true, cloud = RNG.standard_normal((5, 3)), RNG.standard_normal((50, 3))
    figure = arrows_figure(true, {"exact": true, "off": true + 1}, cloud)
    exact, off = (ax.collections[1] for ax in figure.axes)
    assert np.abs(exact.U).max() == 0
    assert np.hypot(off.U, off.V).max() > 0.1


def test_a_panel_a_column():
    before = RNG.standard_normal((2, 30, 5))
    figure = columns_figure(before, before[0] + 1, ["here", "there"], 0, 1)
    titles = [ax.get_title() for ax in figure.axes if ax.axison]
    assert titles == [f"column {j}" for j in range(5)]


def test_wide_tables_say_how_to_ask_combat_instead(monkeypatch):
    monkeypatch.setattr(Case, "names", ("c",) * (COLUMNS + 1))
    told = compared(object.__new__(Case), object.__new__(Trust))
    assert "--method combat" in told[-1]
