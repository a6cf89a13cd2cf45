"""Float64, quick compilation and a deterministic Hypothesis for the whole session."""

import os
import shutil
import subprocess
from pathlib import Path

# What the tests compile runs for milliseconds: XLA's optimiser costs more than it saves.
os.environ["XLA_FLAGS"] = " ".join(
    [
        os.environ.get("XLA_FLAGS", ""),
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
        "--xla_cpu_use_fusion_emitters=false",  # these take twice as long to compile
        "--xla_cpu_parallel_codegen_split_count=1",  # both cores are busy already
    ]
)

os.environ["ELSEWHERE_COMPILED"] = "off"  # tests leave nothing in the cache of the user
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads wait for each other

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
    if maps.exists() and maps.read_bytes().count(b"\n") > 35_000:
        jax.clear_caches()


@pytest.fixture(scope="module")
def compile_fast():
    """For fits that run a second: what XLA's optimiser would save is less than what it costs."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="session")
def browser():
    """Chromium, driven by Playwright; skipped with the reason where either is missing."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    quiet = ("no-first-run", "disable-background-networking", "disable-component-update")
    flags = [f"--{name}" for name in (*quiet, "no-sandbox", "disable-gpu", "disable-sync")]
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=flags)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """axe-core's serious findings on a page; fetched from npm into a folder of the tests."""
    if shutil.which("npm") is None:
        pytest.skip("no npm to fetch axe-core with")
    folder = tmp_path_factory.mktemp("axe")
    fetch = ["npm", "install", "--silent", "--no-audit", "--no-fund", "axe-core"]
    got = subprocess.run(fetch, cwd=folder, capture_output=True, timeout=60, check=False)
    code = folder / "node_modules" / "axe-core" / "axe.min.js"
    if got.returncode or not code.is_file():
        pytest.skip("axe-core could not be fetched")

    def findings(page):
        page.evaluate(code.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run().then((result) => result.violations)")
        grave = [one for one in found if one["impact"] in ("serious", "critical")]
        return [(one["id"], one["nodes"][0]["html"][:200]) for one in grave]

    return findings


FAST = {
    "baselines/test_baselines.py",
    "cli/test_command_line.py",
    "cli/test_names.py",
    "cli/test_reproduce_images.py",
    "datasets/test_tables.py",
    "evaluation/test_error.py",
    "experiments/test_processes.py",
    "experiments/test_provenance.py",
    "report/test_page.py",
    "test_dependencies.py",
    "test_docs.py::TestPaperMap",
    "test_escaping.py",
    "test_files.py",
    "test_imports.py",
}


SLOW = {  # each compiles or fits for half a minute; `make test-slow` runs them
    "app/test_in_a_browser.py::test_a_folder_of_images_from_the_page_to_the_answers",
    "app/test_screenshots.py",
    "engines/test_dask.py",
    "engines/test_ray.py",
    "engines/test_spark.py",
    "estimators/test_image_domain_counterfactual.py",
    "experiments/images/test_image_experiments.py",
    "experiments/test_arrows.py",
    "experiments/test_sweep.py::test_models_of_every_kind_are_scored",
    "fitting/flow/test_flow.py",
    "fitting/test_devices.py",
    "fitting/gradient/test_gradient.py",
    "fitting/paper/test_paper.py",
    "fitting/profile/axes/test_profile.py",
    "fitting/profile/axes/test_search.py",
    "fitting/profile/test_fit.py",
    "fitting/pseudo/test_pseudo.py",
    "fitting/refine/pairs/test_pairs.py",
    "hostile/test_commands_stopped.py",
    "images/test_appearance.py",
    "images/test_autoencoder.py",
    "images/test_classifiers.py",
    "images/test_colours.py",
    "images/test_fit_codes.py",
    "images/test_matching.py",
    "images/test_paper_recipe.py",
    "mixing/test_rotated.py",
    "scm/test_rosenblatt.py",
    "scm/test_tail.py",
    "test_docs.py::test_code_runs_and_shows_what_it_says[gallery.md]",
    "test_docs.py::test_code_runs_and_shows_what_it_says[image-data.md]",
    "test_docs.py::test_code_runs_and_shows_what_it_says[images.md]",
    "test_docs.py::test_code_runs_and_shows_what_it_says[pairs.md]",
    "test_examples.py",
    "theory/test_bound.py",
    "theory/test_canonical.py",
    "theory/test_equivalence.py",
    "theory/test_fuzz.py",
    "theory/test_intervention.py::test_finds_exactly_the_rows_that_differ",
}


def pytest_collection_modifyitems(items):
    """Mark the tests of these files as fast or slow; what is in neither list is in between."""
    root = Path(__file__).parent
    for item in items:
        name = item.path.relative_to(root).as_posix()
        first = item.nodeid.split("::")[1]
        places = {name, f"{name}::{first}", f"{name}::{first.partition('[')[0]}"}
        for marker, members in (("fast", FAST), ("slow", SLOW)):
            if places & members:
                item.add_marker(marker)
