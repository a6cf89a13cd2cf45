"""The exact engine: linear and leaky-linear mixings, mechanisms profiled out in closed form."""

from elsewhere.fitting.profile.engine import Profile
from elsewhere.fitting.profile.options import DEFAULT, Options

__all__ = ["DEFAULT", "Options", "Profile"]
