"""What a user asks for of a folder of images, as the commands and as the Python that do it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar

from elsewhere.app.fit_request import MODEL, REPORT

COLOURS = 6  # numbers of a code that are kept for colours, where domains differ in them


@dataclass(frozen=True)
class ImageFitRequest:
    """A fit to images.

    Attributes:
        folder: the name of the folder in the store.
        file: how its owner calls it.
        size: every image is made size × size.
        steps: of the autoencoder's training.
        colours: whether domains differ in colour.
        far: whether domains differ strongly, as by a rotation.
        domain: what names the domains.
    """

    folder: str
    file: str
    size: int
    steps: int
    colours: bool = False
    far: bool = False
    domain: str = "folder"
    shares: ClassVar[Mapping[str, tuple[float, float]]] = {
        "fit": (0.12, 0.9),
        "report": (0.97, 1.0),
    }

    def commands(self, data: Path) -> dict[str, list[str]]:
        """The arguments of `fit` and of `report`, in the order in which they run."""
        fitted = ["fit", str(data), "--out", MODEL, "--size", str(self.size)]
        fitted += ["--steps", str(self.steps)]
        fitted += ["--colours", str(COLOURS)] if self.colours else []
        fitted += ["--far"] if self.far else []
        told = ["report", MODEL, str(data), "--out", REPORT]
        return {"fit": [*fitted, "--json", "--force"], "report": [*told, "--json", "--force"]}

    def question(self, target: str, *, interval: bool = False) -> list[str]:
        """The arguments of `counterfactual` that give every image as if from the target."""
        return ["counterfactual", MODEL, self.file, "--to", target, "--out", "answers"]

    def python(self, target: str) -> str:
        """The same in Python."""
        given = f"size={self.size}, steps={self.steps}"
        given += f", colours={COLOURS}" if self.colours else ""
        given += ", flow=FAR" if self.far else ""
        lines = [
            "from elsewhere import ImageDomainCounterfactual",
            "from elsewhere.datasets.pictures import load_folder",
            *(["from elsewhere.images.fit_codes import FAR"] if self.far else []),
            "",
            f"data = load_folder({self.file!r}, size={self.size})",
            f"estimator = ImageDomainCounterfactual({given}).fit(data)",
            "source = [data.domain_names[d] for d in data.domains]",
            f"moved = estimator.counterfactual(data.images, source=source, target={target!r})",
        ]
        return "\n".join(lines)

    def plain(self) -> dict:
        """As JSON can hold it."""
        return asdict(self)
