"""Imports point downwards, and the package opens without JAX."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import elsewhere

ROOT = Path(elsewhere.__file__).parent
LAYERS = (
    {
        "__version__",
        "arrays",
        "checkout",
        "errors",
        "files",
        "escaping",
        "lazy",
        "crossed_labels",
        "scikit_learn",
        "precision",
    },
    {"compiled", "draws", "plain_maps", "markup", "signals", "streams", "terminal"},
    {"bijections"},
    {"scm", "mixing"},
    {"model", "movers"},
    {"queries"},
    {"theory", "datasets"},
    {"fitting"},
    {"images", "baselines", "evaluation", "gaps"},
    {"saving", "comparators"},
    {"covariates"},
    {"estimators"},
    {"trust"},
    {"report", "anndata", "ray"},
    {"experiments"},
    {"cli"},
    {"app"},
    {"__main__"},
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def part_of(path):
    """The part of elsewhere a file belongs to: its package, or the module itself."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_parts(source, package):
    """The parts of elsewhere that a module's source imports, at any depth of the code.

    `package` is the dotted package of the module, against which relative imports are read.
    """
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        for name in names:
            head, *rest = name.split(".")
            if head == "elsewhere":
                yield rest[0] if rest else "elsewhere"


def wrong_imports(part, source, package):
    """The imports of `part` that are neither its own nor strictly lower."""
    imported = set(imported_parts(source, package)) - {part}
    return {name for name in imported if RANK.get(name, len(LAYERS)) >= RANK[part]}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path):
    part = part_of(path)
    assert part in RANK, f"{part} has no layer: give it one in LAYERS."
    package = ".".join(["elsewhere", *path.relative_to(ROOT).parent.parts])
    assert wrong_imports(part, path.read_text(), package) == set()


@pytest.mark.parametrize(
    ("part", "source", "wrong"),
    [
        ("scm", "import elsewhere.model", {"model"}),
        ("scm", "from elsewhere.mixing import linear", {"mixing"}),
        ("scm", "from elsewhere import model", {"model"}),
        ("scm", "from elsewhere import ILD", {"ILD"}),
        ("scm", "from ..model import ILD", {"model"}),
        ("scm", "def f():\n    from elsewhere.cli import main", {"cli"}),
        ("baselines", "from elsewhere.evaluation import score", {"evaluation"}),
        ("scm", "from elsewhere.scm.linear import LinearSCM", set()),
        ("scm", "from .linear import LinearSCM", set()),
        ("scm", "from elsewhere.bijections import compose\nimport jax", set()),
        ("datasets", "from elsewhere.queries import counterfactual", set()),
    ],
)
def test_the_rule_itself(part, source, wrong):
    assert wrong_imports(part, source, f"elsewhere.{part}") == wrong


def run_time(tree):
    """The import statements of a module at any depth, but for those of the type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            yield from run_time(node)


def modules_imported(source):
    """The dotted names that a module's source imports when it runs."""
    for node in run_time(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parts_below(package, sources):
    """{a file or sub-package of `package`: those beside it that it imports}; names are dotted."""
    names = {name.removeprefix(f"{package}.").split(".")[0] for name in sources if name != package}
    uses = {}
    for name, source in sources.items():
        part = name.removeprefix(f"{package}.").split(".")[0] if name != package else "__init__"
        for used in modules_imported(source):
            if used.startswith(f"{package}."):
                other = used.removeprefix(f"{package}.").split(".")[0]
                uses.setdefault(part, set()).add(other if other in names else "__init__")
    return {part: others - {part} for part, others in uses.items()}


def dotted(path):
    """The name by which a file is imported."""
    parts = ("elsewhere", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_package_has_a_cycle(package):
    sources = {dotted(path): path.read_text() for path in package.rglob("*.py")}
    TopologicalSorter(parts_below(dotted(package / "__init__.py"), sources)).prepare()


def test_a_cycle_would_be_found():
    door = "from elsewhere.fitting.engines import fit"
    sources = {
        "elsewhere.fitting": door,
        "elsewhere.fitting.engines": "from elsewhere.fitting.flow.fit import Flow",
        "elsewhere.fitting.flow.fit": "def f():\n    from elsewhere.fitting import fit",
    }
    with pytest.raises(CycleError):
        TopologicalSorter(parts_below("elsewhere.fitting", sources)).prepare()
    sources["elsewhere.fitting.flow.fit"] = f"if TYPE_CHECKING:\n    {door}"
    TopologicalSorter(parts_below("elsewhere.fitting", sources)).prepare()


def test_the_front_door_imports_nothing_at_run_time():
    tree = ast.parse((ROOT / "__init__.py").read_text())
    run_time = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    source = ast.unparse(ast.Module(run_time, []))
    assert list(imported_parts(source, "elsewhere")) == []


def test_no_file_named_utils():
    assert [path for path in FILES if path.stem in {"utils", "util"}] == []


def loads_jax(module):
    code = f"import sys, {module}; print('jax' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.strip() == "True"


def test_opening_the_package_does_not_load_jax():
    assert not loads_jax("elsewhere")
    if (ROOT / "cli").exists():
        assert not loads_jax("elsewhere.cli")


def test_every_public_name_resolves():
    for name in elsewhere.__all__:
        assert getattr(elsewhere, name).__name__ == name
    with pytest.raises(AttributeError, match="nothing"):
        _ = elsewhere.nothing
