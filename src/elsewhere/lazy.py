"""Packages whose names are imported on first use."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__`: name ↦ the attribute of the module that `homes` says it lives in.

    >>> lazily("elsewhere.fitting", {"Moments": "moments.engine"})("Moments").__name__
    'Moments'
    """

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return attribute
