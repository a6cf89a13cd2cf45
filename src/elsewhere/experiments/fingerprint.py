"""A fingerprint of the code that a result rests on: what it imports, without its comments."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_PACKAGE = _ROOT.name


@cache
def code_fingerprint(module: str) -> str:
    """Twelve hexadecimal digits of a module and of all it imports of this package.

    Comments, docstrings and layout do not count. A module is found by the imports in its source, so
    that code that moves keeps being seen.
    """
    found = hashlib.sha256()
    for path in sorted(_imported(module)):
        found.update(path.relative_to(_ROOT).as_posix().encode())
        found.update(_meaning(path.read_text(encoding="utf-8")).encode())
    return found.hexdigest()[:12]


def _imported(module: str) -> set[Path]:
    """The files of a module and of all it imports, directly or not."""
    paths, left = set(), [module]
    while left:
        path = _source(left.pop())
        if path is not None and path not in paths:
            paths.add(path)
            left.extend(_names(path))
    return paths


def _source(module: str) -> Path | None:
    """The file of a module of this package; None for anything else, such as a class."""
    parent, _, name = module.rpartition(".")
    home = _ROOT.joinpath(*parent.split(".")[1:]) if parent else _ROOT.parent
    for path in (home / f"{name}.py", home / name / "__init__.py"):
        if path.is_file() and path != _ROOT / "__init__.py":
            return path
    return None


def _names(path: Path) -> Iterator[str]:
    """What a file imports of this package."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in found if name.startswith(f"{_PACKAGE}."))


def _meaning(source: str) -> str:
    """The source without comments, layout and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            node.body = body[1:]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
