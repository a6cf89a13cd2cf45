"""The kinds of data, and the one place that knows them: what commands do differently for each.

A kind is imported when it is needed, so that `--help` answers at once.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from elsewhere.fitting.progress import Progress

Label = TypeVar("Label", bound=Hashable)
TABLES, IMAGES = "tables", "images"
_HOME = {
    TABLES: "elsewhere.cli.table_kind:TableKind",
    IMAGES: "elsewhere.cli.image_kind:ImageKind",
}
_OF_FILES = {"DomainCounterfactual": TABLES, "ImageDomainCounterfactual": IMAGES}  # header's kind


class Question(NamedTuple):
    """What is asked of a model: the data, where the answers go, which domains, and how."""

    data: str
    out: str
    to: str
    source: str | None
    spread: bool
    force: bool
    interval: float | None = None
    fill: bool = False
    consensus: bool = False
    method: str | None = None
    pairs: str | None = None


class Listing(NamedTuple):
    """A table on the terminal: its title, its headings and its rows."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Kind(ABC):
    """What the commands do with one kind of data and its models."""

    names_data = False  # whether its report takes the data's name

    @abstractmethod
    def fit(self, data: str, out: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Fit, write the model to `out`, and return a summary and a sentence on it."""

    @abstractmethod
    def load(self, path: Path, header: Mapping[str, Any]) -> Any:
        """The estimator in a file, whose header has been read."""

    @abstractmethod
    def summary(self, estimator: Any) -> dict[str, Any]:
        """What there is to know of a fitted model, in plain values."""

    @abstractmethod
    def listings(self, summary: Mapping[str, Any]) -> dict[str, Listing]:
        """The entries of a summary that are tables of their own."""

    @abstractmethod
    def answer(self, estimator: Any, asked: Question) -> tuple[dict[str, Any], str]:
        """Write the answers; what was written, and how much of it in words."""

    @abstractmethod
    def add(self, estimator: Any, data: str, source: str | None) -> Mapping[Hashable, int]:
        """Add the new domains of the data to the model; how many samples each has."""

    @abstractmethod
    def read(
        self, estimator: Any, data: str, source: str | None
    ) -> tuple[Any, Any, dict[str, Any]]:
        """(data like those fitted, the domain of each, what else the model needs of them)."""

    @abstractmethod
    def checks(self, invariants: str, planted: bool) -> dict[str, Any]:
        """The options of a trust report that the command line asks for."""


@dataclass(frozen=True)
class Opened:
    """A model from a file, and what can be done with it."""

    kind: Kind
    estimator: Any
    made_by: Mapping[str, str]

    def judged(
        self, data: str, source: str | None, checks: Mapping[str, Any], progress: "Progress"
    ) -> tuple[Any, Any, dict[str, Any], Any]:
        """(data, the domain of each, what else the model needs of them, every check)."""
        from elsewhere.trust import trust_report

        X, labels, given = self.kind.read(self.estimator, data, source)
        beside = given.pop("beside", {})
        asked = {**given, **checks, **beside}
        found = trust_report(self.estimator, X, labels, progress=progress, **asked)
        return X, labels, given, found


def kind_called(name: str) -> Kind:
    """The kind of this name; JAX, should it load it, finds what was compiled before."""
    from elsewhere.compiled import keep_compiled

    keep_compiled()
    module, _, kind = _HOME[name].partition(":")
    return getattr(import_module(module), kind)()


def kind_of_data(data: str) -> str:
    """The name of the kind that data are of: a folder has images, unless it has tables alone."""
    if not Path(data).is_dir():
        return TABLES
    from elsewhere.datasets.many_files import is_many
    from elsewhere.datasets.pictures.files import SUFFIXES

    has_images = any(path.suffix.lower() in SUFFIXES for path in Path(data).rglob("*"))
    return TABLES if is_many(data) and not has_images else IMAGES


def open_model(path: Path) -> Opened:
    """The model in a file, of whatever kind."""
    from elsewhere.saving import needs_64_bit, read_model

    header, arrays = read_model(path)
    header.setdefault("float64", needs_64_bit(arrays))  # format 1 does not say
    kind = kind_called(_OF_FILES.get(str(header.get("kind")), TABLES))
    made_by = {name: str(header[name])[:80] for name in ("made_by", "commit") if name in header}
    return Opened(kind, kind.load(path, header), made_by)


def domain_called(known: Mapping[str, Label], text: str) -> Label:
    """The domain whose label reads like this."""
    if text not in known:
        raise ValueError(f"domain {text!r} is not in the model; its domains are {list(known)}.")
    return known[text]
