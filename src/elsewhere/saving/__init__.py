"""A fitted estimator as one file, and back: versioned, checked, and never executed."""

from elsewhere.saving.container import (
    FORMAT,
    ModelFileError,
    needs_64_bit,
    read_model,
    reading,
    write_model,
)

__all__ = [
    "FORMAT",
    "ModelFileError",
    "needs_64_bit",
    "read_model",
    "reading",
    "write_model",
]
