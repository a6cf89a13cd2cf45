"""Restarts on two devices: the same values as on one, and really on two."""

import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np

from elsewhere.fitting.devices import over_devices

CODE = """
import json
import jax, numpy as np
from elsewhere.fitting import Gradient, fit
from elsewhere.fitting.devices import over_devices
rng = np.random.default_rng(0)
data = {d: rng.normal(d, 1 + d, (200, 2)) for d in (0, 1)}
engine = Gradient(mixing="linear", restarts=4, steps=20, finalists=2)
found = fit(jax.random.key(0), data, k=1, engine=engine)
moved = found.model.move(data[0][:5], d=0, d_prime=1)
spread = over_devices(jax.numpy.zeros((6, 3)))
odd = over_devices(jax.numpy.zeros((3, 3)))
print(json.dumps({
    "devices": jax.device_count(),
    "spread": len(spread.devices()),
    "odd": len(odd.devices()),
    "moved": np.asarray(moved, float).tolist(),
}))
"""


def run(devices):
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    env = os.environ | {"XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=env
    )
    return json.loads(done.stdout)


def test_one_device_leaves_all_as_it_is():
    if jax.device_count() == 1:
        x = jnp.ones((4, 2))
        assert over_devices(x) is x


def test_two_devices_give_the_values_of_one():
    one, two = run(1), run(2)
    assert (one["devices"], one["spread"]) == (1, 1)
    assert (two["devices"], two["spread"], two["odd"]) == (2, 2, 1)
    np.testing.assert_allclose(two["moved"], one["moved"], rtol=1e-5)
