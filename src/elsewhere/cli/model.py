"""Opening a model for a command."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual


def open_model(path: Path) -> "DomainCounterfactual":
    """The model, computed with in the precision it was fitted in."""
    import jax

    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.estimators.saving import needs_64_bit, read_model

    if needs_64_bit(read_model(path)[1]):
        jax.config.update("jax_enable_x64", True)
    return DomainCounterfactual.load(path)
