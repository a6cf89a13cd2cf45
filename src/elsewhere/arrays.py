"""Types of arrays and keys for what NumPy can do alone: naming them loads no JAX."""

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Int, UInt32

if TYPE_CHECKING:
    from jaxtyping import Array, PRNGKeyArray
else:

    class _OfJax(type):
        """Instances are JAX's arrays; there are none before JAX is loaded."""

        def __instancecheck__(cls, value: Any) -> bool:
            array = getattr(sys.modules.get("jax"), "Array", None)
            return array is not None and isinstance(value, array)

    class Array(metaclass=_OfJax):
        """`jax.Array`."""

    PRNGKeyArray = Array

AnyArray = Array | np.ndarray
Words = UInt32[np.ndarray, " 2"]  # what a JAX key consists of
Key = PRNGKeyArray | Words
Codes = Int[np.ndarray, " n"]  # the domain of each row, by its place among the domains
