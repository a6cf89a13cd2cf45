"""Random numbers outside compiled code, and keys that load JAX only where it draws with them."""

import numpy as np

from elsewhere.arrays import Key, PRNGKeyArray, Words


def words_of(seed: int) -> Words:
    """What jax.random.key(seed) consists of.

    >>> words_of(5).tolist()
    [0, 5]
    """
    return np.array(divmod(seed, 1 << 32), np.uint32)


def as_key(key: Key) -> PRNGKeyArray:
    """The JAX key of these words; a JAX key is returned as it is."""
    import jax

    if isinstance(key, np.ndarray):
        return jax.random.wrap_key_data(jax.numpy.asarray(key))
    return key


def generator(key: Key) -> np.random.Generator:
    """NumPy draws that a JAX key, or its words, determine, the same in float32 and float64."""
    if isinstance(key, np.ndarray):
        return np.random.default_rng(key)
    import jax

    return np.random.default_rng(np.asarray(jax.random.key_data(key)).ravel())
