import numpy as np
import pytest

from elsewhere.report.answer_pictures import arrows_figure, columns_figure, error_figure
from elsewhere.report.page import Section, write_page, write_whole

RNG = np.random.default_rng(0)


def test_a_page_is_self_contained_and_escaped(tmp_path):
    figure = error_figure({"ours": 0.01, "theirs": 1.0}, "ours")
    section = Section(
        "a < b", ["x & y"], [["method", "error"], ["ours", "0.01"]], 0, [(figure, "c")]
    )
    text = write_page(tmp_path / "deep" / "page.html", "Title", "lead", [section]).read_text()
    assert "a &lt; b" in text
    assert "x &amp; y" in text
    assert '<tr class="best"><td>ours</td>' in text
    assert "data:image/png;base64," in text
    assert "http" not in text


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
