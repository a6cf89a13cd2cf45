"""Pseudo-invertible mixings for tables: an encoder and a decoder, fitted by the ELBO."""

from elsewhere.fitting.pseudo.fit import Pseudo
from elsewhere.fitting.pseudo.model import PseudoILD

__all__ = ["Pseudo", "PseudoILD"]
