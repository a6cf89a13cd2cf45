"""One word for one thing: names of classes, and of the domains that rows are moved between."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import elsewhere

ROOT = Path(elsewhere.__file__).parent
TREES = {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
ENDS = ({"d", "d_prime"}, {"source", "target"}, {"i", "j"})
FOR_USERS = {"estimators", "anndata.py", "ray.py"}


def arguments(node):
    """The names of a function's arguments."""
    return {a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}


def functions(name):
    """(file, arguments) of every function and method of that name."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                yield path.relative_to(ROOT), arguments(node)


def test_no_class_name_stands_for_two_things():
    names = [n.name for t in TREES.values() for n in t.body if isinstance(n, ast.ClassDef)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("name", ["counterfactual", "move", "spread", "interval"])
def test_domains_are_called_by_one_pair_of_names(name):
    for path, given in functions(name):
        used = [ends for ends in ENDS if given & ends]
        assert len(used) <= 1, (path, given)


def test_users_say_source_and_target():
    for path, given in functions("counterfactual"):
        if path.parts[0] in FOR_USERS:
            assert "target" in given, path
            assert not given & {"d", "d_prime", "i", "j"}, path


def test_models_move_from_d_to_d_prime():
    for path, given in functions("move"):
        if path.parts[0] not in ("baselines", "comparators"):  # whose maps know places, not names
            assert {"d", "d_prime"} <= given, path
