"""Models as one file, and back: versioned, checked, described by themselves, never executed."""

from elsewhere.saving import gaps, moments  # noqa: F401  # they register codecs
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.container import (
    FORMAT,
    ModelFileError,
    needs_64_bit,
    read_model,
    reading,
    write_model,
)
from elsewhere.saving.results import (
    check_result,
    engine_back,
    engine_parts,
    result_back,
    result_parts,
)

__all__ = [
    "FORMAT",
    "ModelFileError",
    "Reader",
    "Writer",
    "check_result",
    "engine_back",
    "engine_parts",
    "needs_64_bit",
    "read_model",
    "reading",
    "register_codec",
    "result_back",
    "result_parts",
    "write_model",
]
