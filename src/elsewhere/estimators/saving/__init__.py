"""A fitted estimator as one file, and back: versioned, checked, and never executed."""

from elsewhere.estimators.saving.container import (
    FORMAT,
    ModelFileError,
    read_model,
    reading,
    write_model,
)
from elsewhere.estimators.saving.estimator import describe, needs_64_bit, restore

__all__ = [
    "FORMAT",
    "ModelFileError",
    "describe",
    "needs_64_bit",
    "read_model",
    "reading",
    "restore",
    "write_model",
]
