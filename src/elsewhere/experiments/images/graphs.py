"""The causal graph of each image data set, as a picture."""

from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from elsewhere.report.style import BLUE, GREEN, GREY, INK, ORANGE, canvas

_WIDTH, _HEIGHT = 0.86, 0.46  # of a node, where nodes stand 1 apart
DOMAIN, IMAGE = "domain", "image"
Place = tuple[int | float, int | float]


class Graph(NamedTuple):
    """Nodes with their places (column, row from the top), arrows between them, and two roles.

    Every node but the domain points to the image; where `all_to_image` is set this is said in
    words, for the arrows would hide the rest.
    """

    places: dict[str, Place]
    arrows: tuple[tuple[str, str], ...]
    follows: frozenset[str]  # what changes with the domain
    kept: str  # the class, which must not
    all_to_image: bool = False
    name: str = ""  # of its picture, which data sets with one graph share


_DIGITS = Graph(
    {
        DOMAIN: (0, 0),
        "rotation": (0, 1),
        "class": (1.5, 0),
        "style": (1.5, 1),
        IMAGE: (0.75, 2),
    },
    ((DOMAIN, "rotation"), ("class", "style"), ("rotation", IMAGE), ("style", IMAGE)),
    frozenset({"rotation"}),
    "class",
    name="digits",
)
_COLOURED = Graph(
    {
        DOMAIN: (0, 0),
        "rotation": (0, 1),
        "class": (2.2, 0),
        "colour": (1.5, 2),
        "style": (3, 1),
        IMAGE: (1.5, 3.4),
    },
    (
        (DOMAIN, "rotation"),
        ("rotation", "colour"),
        ("class", "colour"),
        ("class", "style"),
        ("colour", IMAGE),
        ("style", IMAGE),
        ("rotation", IMAGE),
    ),
    frozenset({"rotation", "colour"}),
    "class",
    name="coloured",
)
_SHAPES = Graph(
    {
        DOMAIN: (0, 0),
        "shape": (0, 1),
        "object hue": (1, 1),
        "floor hue": (2, 1),
        "wall hue": (3, 1),
        "orientation": (4, 1),
        IMAGE: (2, 2.2),
    },
    (
        (DOMAIN, "shape"),
        *((name, IMAGE) for name in ("shape", "object hue", "floor hue", "wall hue")),
        ("orientation", IMAGE),
    ),
    frozenset({"shape"}),
    "object hue",
    name="shapes",
)
_IDENT = Graph(
    {
        DOMAIN: (2, 0),
        "spotlight\nposition": (0, 1),
        "class": (1, 1),
        "background\nhue": (2, 1),
        "spotlight\nhue": (3, 1),
        "object\nposition": (0, 2.2),
        "object\nrotation": (1, 2.2),
        "object\nhue": (2, 2.2),
    },
    (
        (DOMAIN, "background\nhue"),
        ("spotlight\nposition", "object\nposition"),
        ("class", "object\nposition"),
        ("class", "object\nrotation"),
        ("class", "object\nhue"),
        ("background\nhue", "object\nhue"),
        ("spotlight\nhue", "object\nhue"),
    ),
    frozenset({"background\nhue", "object\nhue"}),
    "class",
    all_to_image=True,
    name="ident",
)
GRAPHS = {"I1": _DIGITS, "I2": _DIGITS, "I3": _COLOURED, "I4": _SHAPES, "I5": _IDENT}


def graph_figure(name: str) -> Figure:
    """The graph of an experiment's data: orange changes with the domain, green is kept."""
    graph = GRAPHS[name]
    across = max(x for x, _ in graph.places.values())
    down = max(y for _, y in graph.places.values())
    with canvas(1.15 * (across + 1.4), 0.95 * (down + 1.4)) as figure:
        ax = figure.subplots()
        for start, end in graph.arrows:
            _arrow(ax, graph.places[start], graph.places[end])
        for node, place in graph.places.items():
            _node(ax, node, place, _colour(graph, node))
        ax.set(xlim=(-0.7, across + 0.7), ylim=(down + 0.75, -0.5), aspect="auto")
        ax.set_axis_off()
        note = "orange: changes with the domain; green: the class, kept"
        more = "\nall but the domain point to the image" if graph.all_to_image else ""
        ax.text(across / 2, down + 0.5, note + more, ha="center", va="center", fontsize=7)
    return figure


def _colour(graph: Graph, node: str) -> str:
    if node in graph.follows:
        return ORANGE
    return {DOMAIN: BLUE, graph.kept: GREEN}.get(node, GREY)


def _node(ax: Axes, text: str, place: Place, colour: str) -> None:
    x, y = place
    corner = x - _WIDTH / 2, y - _HEIGHT / 2
    style = "square,pad=0" if text == DOMAIN else "round,pad=0,rounding_size=0.2"
    box = FancyBboxPatch(corner, _WIDTH, _HEIGHT, style, facecolor=colour, edgecolor=INK, lw=0.6)
    ax.add_patch(box)
    pale = colour == GREY
    ax.text(x, y, text, ha="center", va="center", fontsize=7.5, color=INK if pale else "white")


def _arrow(ax: Axes, start: Place, end: Place) -> None:
    """From the lower edge of one node to the upper edge of another."""
    (x, y), (u, v) = start, end
    ends = (x, y + _HEIGHT / 2), (u, v - _HEIGHT / 2)
    look = {"arrowstyle": "-|>", "mutation_scale": 9, "color": INK, "lw": 0.8}
    ax.add_patch(FancyArrowPatch(*ends, shrinkA=0, shrinkB=1, **look))
