"""What a user can name is text: in HTML, on a terminal, in a picture."""

import io

import pytest
from matplotlib.backends.backend_svg import FigureCanvasSVG
from rich.console import Console

from elsewhere.escaping import Html, for_html, for_picture, for_terminal
from elsewhere.report.style import as_svg, canvas, short
from elsewhere.terminal import console, one_bar, table

UNITS = ("WBC [/nL]", "conc [mg/L]", "[red]x[/red]", "a:smile:b", "price $_{$", r"\[x]", "[/]")


@pytest.mark.parametrize("name", UNITS)
def test_a_terminal_shows_every_name_whole(name, capsys):
    console().print(table(name, [name], [[name]]))
    assert capsys.readouterr().out.count(name) == 3


@pytest.mark.parametrize("name", UNITS)
def test_so_does_a_bar(name, monkeypatch):
    written = io.StringIO()
    plain = Console(file=written, width=200, force_terminal=True, markup=False, emoji=False)
    monkeypatch.setattr("elsewhere.terminal.console", lambda stderr: plain)
    with one_bar(name) as follow:
        follow(0.5, name)
    assert name in written.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\u202eb", "a\\u202eb"),
        ("\udcff", "\\udcff"),
        ("\r\x07\x9b", "\\r\\x07\\x9b"),
        ("µmol·L⁻¹ 東\u00a0京\n\t", "µmol·L⁻¹ 東\u00a0京\n\t"),
    ],
)
def test_nothing_steers_a_terminal(text, shown):
    assert for_terminal(text) == shown


@pytest.mark.parametrize("name", [*UNITS, "$a$", "$", r"a\$b", "$\\frac{$", "100 $ to 200 $"])
def test_a_picture_draws_every_name_as_it_is(name):
    with canvas(2.0, 2.0) as figure:
        ax = figure.subplots()
        ax.set_title(short(name, 100))
        ax.barh([for_picture(name)], [1.0])
    FigureCanvasSVG(figure).print_svg(io.BytesIO())
    assert ax.title._preprocess_math(ax.title.get_text()) == (name, False)


@pytest.mark.parametrize("name", ["\x1b[31mred", "\x00", "a\u202eb", "\udcff", "\t"])
def test_a_picture_holds_no_control_characters(name):
    """As SVG it could not be read, and matplotlib warns of each in two lines."""
    with canvas(2.0, 2.0) as figure:
        figure.subplots().set_title(for_picture(name))
    content = as_svg(figure).decode()
    assert "<text" not in content  # every letter was drawn
    assert for_terminal(content) == content


def test_letters_that_the_font_lacks_are_left_to_the_reader():
    with canvas(2.0, 2.0) as figure:
        figure.subplots().set_title(for_picture("東京 & <b>"))
    content = as_svg(figure).decode()
    assert "東京 &amp; &lt;b&gt;</text>" in content


def test_long_names_lose_their_middle_and_stay_text():
    assert short("$" * 40, 5) == r"\$\$…\$\$"


def test_html_is_escaped_once_and_in_quotes():
    assert for_html("<a b=\"c\" d='e'>&") == "&lt;a b=&quot;c&quot; d=&#x27;e&#x27;&gt;&amp;"
    assert for_html(for_html("<")) == "&lt;"
    assert for_html(Html("<i>")) == "<i>"
