"""Restarts and seeds over all devices: the leading axis is sharded, and XLA does the rest."""

from typing import TypeVar

import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

Tree = TypeVar("Tree")


def over_devices(tree: Tree) -> Tree:
    """The same arrays, the first axis of each spread over the devices that divide it evenly.

    What is independent along that axis is then computed on all of them at once; the values do not
    depend on where. With one device nothing changes.
    """
    arrays = [leaf for leaf in jax.tree.leaves(tree) if eqx.is_array(leaf)]
    devices = _dividing(len(arrays[0]) if arrays and arrays[0].ndim else 1)
    if devices == 1:
        return tree
    mesh = Mesh(np.array(jax.devices()[:devices]), ("fit",))
    spread = NamedSharding(mesh, PartitionSpec("fit"))
    return jax.tree.map(lambda a: jax.device_put(a, spread) if eqx.is_array(a) else a, tree)


def _dividing(count: int) -> int:
    """The largest number of devices that divides the count."""
    most = min(count, jax.device_count())
    return next(n for n in range(most, 0, -1) if count % n == 0)
