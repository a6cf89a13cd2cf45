"""Float64, quick compilation and a deterministic Hypothesis for the whole session."""

import os
from pathlib import Path

# What the tests compile runs for milliseconds: XLA's optimiser costs more than it saves.
os.environ["XLA_FLAGS"] = " ".join(
    [
        os.environ.get("XLA_FLAGS", ""),
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
    ]
)

import jax  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

jax.config.update("jax_enable_x64", True)

settings.register_profile(
    "elsewhere",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("elsewhere")


@pytest.fixture(scope="module", autouse=True)
def few_maps():
    """All that XLA compiles is mapped into memory; a process with 65,530 maps crashes on Linux."""
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and maps.read_bytes().count(b"\n") > 20_000:
        jax.clear_caches()


@pytest.fixture(scope="module")
def compile_fast():
    """For fits that run a second: what XLA's optimiser would save is less than what it costs."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
