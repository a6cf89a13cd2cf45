"""Opening a model for a command, and finding its domains."""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual

Label = TypeVar("Label", bound=Hashable)


def domain_called(known: Mapping[str, Label], text: str) -> Label:
    """The domain whose label reads like this."""
    if text not in known:
        raise ValueError(f"domain {text!r} is not in the model; its domains are {list(known)}.")
    return known[text]


def open_model(path: Path) -> "DomainCounterfactual | ImageDomainCounterfactual":
    """The model of a table or of images, computed with in the precision it was fitted in."""
    import jax

    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.estimators.image_domain_counterfactual import KIND, ImageDomainCounterfactual
    from elsewhere.saving import needs_64_bit, read_model

    header, arrays = read_model(path)
    if header.get("kind") == KIND:
        return ImageDomainCounterfactual.load(path)
    if needs_64_bit(arrays):
        jax.config.update("jax_enable_x64", True)
    return DomainCounterfactual.load(path)
