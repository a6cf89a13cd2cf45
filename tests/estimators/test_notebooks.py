"""What a notebook shows of an estimator and a result, and pictures on axes."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from elsewhere import DomainCounterfactual
from elsewhere.escaping import for_html

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
BAD = "<script>alert(1)</script>"
SITE = np.repeat(["<b>north", "south & $x$"], [80, 120])
X = pd.DataFrame({BAD: RNG.normal(size=200), "b": RNG.normal(size=200), "same": 1.0})
X.loc[SITE == "<b>north", "b"] += 3.0
GAPPY = X.mask(RNG.random(X.shape) < 0.05)


@pytest.fixture(scope="module")
def model():
    return DomainCounterfactual().fit(GAPPY, pd.Series(SITE, name="si<te"))


def test_a_fitted_estimator_says_what_it_found_and_escapes_every_name(model):
    html = model._repr_html_()
    assert "The domains differ by an offset in 1 of 2 columns" in html
    for words in ("not used", "&lt;b&gt;north", "80", "120", "never vary", "missing at random"):
        assert words in html
    assert BAD not in html
    assert "<b>" not in html
    assert "si<te" not in html
    assert model._repr_mimebundle_()["text/html"] == html


def test_an_estimator_that_is_not_fitted_keeps_the_diagram_of_scikit_learn():
    html = DomainCounterfactual()._repr_html_()
    assert "sk-estimator" in html
    assert "differ by" not in html


def test_a_result_says_what_was_considered(model):
    html = model.result_._repr_html_()
    assert "explanation considered" in html
    assert for_html(model.difference_) in html
    assert BAD not in html


def test_a_column_is_drawn_by_domain_before_and_after(model):
    ax = model.plot(GAPPY, SITE, column="b", target="south & $x$")
    middles = [np.median(line.get_xdata()) for line in ax.lines if line.get_color() == "#2b2b2b"]
    assert len(middles) == 4
    north, south, north_moved, south_moved = middles
    assert north - south > 2
    assert north_moved == pytest.approx(south_moved, abs=0.5)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["<b>north", r"south & \$x\$"]
    own = Figure().subplots()
    assert model.plot(GAPPY, SITE, column="b", target="<b>north", ax=own) is own


def test_a_column_that_is_not_modelled_is_refused(model):
    with pytest.raises(ValueError, match="column must be one of numbers"):
        model.plot(GAPPY, SITE, column="same", target="<b>north")


def test_nothing_is_drawn_with_before_it_is_asked_for():
    code = "import sys; import elsewhere.estimators.pictures; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
