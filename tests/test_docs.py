"""What the documentation says is so: its code runs, its names and links exist."""

import ast
import importlib
import itertools
import pkgutil
import re
import tomllib
from pathlib import Path

import pytest
import typer

import elsewhere
import elsewhere.datasets

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page):
    """The python blocks of a page, each padded so that line numbers are the page's."""
    text = page.read_text()
    return ["\n" * text[: b.start(1)].count("\n") + b[1] for b in BLOCK.finditer(text)]


def shown_after(node, lines):
    """The words of the comment `# -> …` at the end of a statement or on the lines below it."""
    last = ast.get_source_segment("\n".join(lines), node).splitlines()[-1]
    comments = [lines[node.end_lineno - 1].partition(last)[2].strip(), *lines[node.end_lineno :]]
    if not comments[0]:
        comments = comments[1:]
    block = itertools.takewhile(lambda line: line.startswith("#"), comments)
    text = " ".join(line.lstrip("#") for line in block).strip()
    return normal(text.removeprefix("->")) if text.startswith("->") else None


def normal(text):
    return " ".join(text.split())


def run(source, name, namespace):
    """Execute a block; yield (line, shown, found) for every expression with `# -> shown`."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        shown = shown_after(node, lines)
        if isinstance(node, ast.Expr):
            value = eval(compile(ast.Expression(node.value), name, "eval"), namespace)
            if shown:
                yield node.end_lineno, shown, normal(str(value))
        else:
            assert not shown, f"{name}:{node.end_lineno}: only an expression can show a value"
            exec(compile(ast.Module([node], []), name, "exec"), namespace)


WITH_CODE = [page for page in PAGES if blocks(page)]
NEEDS = {"anndata.md": "anndata"}  # pages whose code needs an extra that `test` does not have


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_code_runs_and_shows_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where the tutorial writes its table
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name], reason=f"{page.name} is about an optional extra")
    namespace = {"__name__": page.stem}
    results = [r for block in blocks(page) for r in run(block, page.name, namespace)]
    wrong = [
        f"{page.name}:{line}: {found}, not {shown}"
        for line, shown, found in results
        if shown != found
    ]
    assert not wrong, "\n".join(wrong)


def test_the_runner_notices_a_wrong_value_and_a_misplaced_one():
    assert list(run("x = 1\nx + 1  # -> 3", "page", {})) == [(2, "3", "2")]
    assert list(run("[1,\n 2]\n# -> [1,\n#     3]", "page", {})) == [(2, "[1, 3]", "[1, 2]")]
    assert list(run("1  # a remark", "page", {})) == []
    with pytest.raises(AssertionError, match="only an expression"):
        list(run("x = 1  # -> 1", "page", {}))


def test_the_readme_and_the_first_page_have_code():
    assert {"README.md", "index.md", "theory.md", "slips.md"} <= {page.name for page in WITH_CODE}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\(\s*([^)\s]+)\s*\)", page.read_text())
    local = [t.split("#")[0] for t in targets if not t.startswith(("http", "#"))]
    assert [t for t in local if not (page.parent / t).exists()] == []


def test_every_figure_is_shown_and_made_by_one_script():
    shown = set(re.findall(r"figures/([\w-]+)\.png", "".join(p.read_text() for p in PAGES)))
    committed = {path.stem for path in (ROOT / "docs/figures").glob("*.png")}
    made = figures_of_the_scripts()
    assert shown == committed == set(made)
    assert len(made) == len(set(made))
    assert all(path.stat().st_size < 150_000 for path in (ROOT / "docs/figures").glob("*.png"))


def figures_of_the_scripts():
    """The keys of the table FIGURES in every docs/make_*.py that has one."""
    trees = [ast.parse(path.read_text()) for path in sorted((ROOT / "docs").glob("make_*.py"))]
    return [
        key.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and node.target.id == "FIGURES"
        for key in node.value.keys
    ]


class TestPaperMap:
    TEXT = (ROOT / "docs/reference/paper-map.md").read_text()

    def test_every_id_is_there(self):
        ids = re.findall(r"^\| (\w\d+) \|", self.TEXT, re.MULTILINE)
        expected = {
            f"{letter}{i}"
            for letter, n in zip("DTMSI", (8, 3, 5, 11, 7), strict=True)
            for i in range(1, n + 1)
        }
        assert sorted(ids) == sorted(expected | {"L1", "O1"})

    @pytest.mark.parametrize("name", sorted(set(re.findall(r"`(elsewhere[.\w]+)`", TEXT))))
    def test_objects_exist(self, name):
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute)

    @pytest.mark.parametrize("name", sorted(set(re.findall(r"`(tests/[/.\w]+::\w+)`", TEXT))))
    def test_tests_exist(self, name):
        path, test = name.split("::")
        assert re.search(rf"def {test}\(", (ROOT / path).read_text())


def test_every_dependency_has_its_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(d for e in extras.values() for d in e)]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in wanted} - {"elsewhere"}
    explained = set(
        re.findall(
            r"\| ([\w-]+) \| [^|]+ \|$",
            (ROOT / "docs/reference/dependencies.md").read_text(),
            re.MULTILINE,
        )
    )
    assert names <= explained


def public_names():
    """All that packages export: those right below `elsewhere`, and the parts of `datasets`."""
    below = pkgutil.iter_modules(elsewhere.__path__, "elsewhere.")
    inside = pkgutil.iter_modules(elsewhere.datasets.__path__, "elsewhere.datasets.")
    names = [one.name for one in (*below, *inside) if not one.name.endswith("__main__")]
    modules = [elsewhere, *map(importlib.import_module, names)]
    return {f"{one.__name__}.{name}" for one in modules for name in getattr(one, "__all__", ())}


@pytest.mark.fast
def test_every_public_name_is_in_the_reference_once():
    pages = (page.read_text() for page in (ROOT / "docs/reference/api").glob("*.md"))
    listed = re.findall(r"^::: ([\w.]+)$", "\n".join(pages), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert sorted(public_names() - set(listed)) == []
    for name in listed:  # those without __all__, such as the experiments, exist too
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name


def test_the_command_reference_has_every_option_of_every_command(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    make_commands = importlib.import_module("make_commands")
    assert make_commands.MARK in (ROOT / "docs/reference/commands.md").read_text()
    sections = dict(
        part.split("\n", 1) for part in make_commands.commands().split("## ") if part.strip()
    )
    tree = typer.main.get_command(make_commands.app).commands
    assert list(sections) == list(tree)
    for name, command in tree.items():
        missing = [
            flag
            for one in command.params
            for flag in make_commands.flags(one)
            if f"| `{flag}`" not in sections[name] and f", `{flag}`" not in sections[name]
        ]
        assert missing == [], name
        assert all(one.help for one in command.params), name


def test_every_page_is_in_the_navigation():
    listed = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = (page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md"))
    assert sorted(listed) == sorted(pages)
