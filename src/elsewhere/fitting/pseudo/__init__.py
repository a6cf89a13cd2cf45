"""Pseudo-invertible mixings for tables: an encoder and a decoder, fitted by the ELBO."""

from typing import TYPE_CHECKING

from elsewhere.fitting.pseudo.model import OnTheSurface, PseudoILD
from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.fitting.pseudo.fit import Pseudo

__all__ = ["OnTheSurface", "Pseudo", "PseudoILD"]
__getattr__ = lazily(__name__, {"Pseudo": "fit"})  # which loads what trains
