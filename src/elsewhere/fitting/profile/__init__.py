"""The exact engine: linear and leaky-linear mixings, mechanisms profiled out in closed form."""

from typing import TYPE_CHECKING

from elsewhere.fitting.profile.options import DEFAULT, Options
from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.fitting.profile.estimate import Profile

__getattr__ = lazily(__name__, {"Profile": "estimate"})

__all__ = ["DEFAULT", "Options", "Profile"]
