"""What made a result, and what it rests on."""

import os
import subprocess
import sys

import pytest

import elsewhere
from elsewhere import checkout
from elsewhere.experiments import fingerprint, provenance
from elsewhere.experiments.family import FAMILIES, by_family, family_called, seed_range
from elsewhere.experiments.fingerprint import _imported, _meaning, code_fingerprint
from elsewhere.experiments.rows import KeptRows, RowKey


def test_everything_is_named():
    made_by = provenance.provenance("elsewhere reproduce S1", range(2), code="c0de")
    assert made_by["command"] == "elsewhere reproduce S1"
    assert made_by["seeds"] == [0, 1]
    assert made_by["versions"]["elsewhere"] == elsewhere.__version__
    assert made_by["versions"]["jax"]
    assert made_by["cores"] >= 1
    assert made_by["processor"]
    assert made_by["code"] == "c0de"


def test_the_commit_is_that_of_this_package_and_of_no_other(tmp_path, monkeypatch):
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a"}
        who |= {"GIT_COMMITTER_EMAIL": "a@b", "HOME": str(tmp_path)}
        subprocess.run(["git", "-C", tmp_path, *command], check=True, env=os.environ | who)
    module = tmp_path / "__init__.py"
    module.write_text("")
    monkeypatch.setattr(checkout, "_HOME", module)
    assert checkout.commit.__wrapped__() is None  # installed in somebody's folder
    subprocess.run(["git", "-C", tmp_path, "add", "."], check=True)
    assert checkout.commit.__wrapped__().endswith("-dirty")


def test_comments_layout_and_docstrings_do_not_count():
    plain = "def f(x):\n    return x + 1\n"
    wordy = '"""A."""\n\n\ndef f(x):  # adds\n    """B."""\n    return (x +\n            1)\n'
    assert _meaning(plain) == _meaning(wordy)
    assert _meaning(plain) != _meaning(plain.replace("1", "2"))


def test_what_is_imported_counts_and_what_is_not_does_not():
    found = _imported("elsewhere.queries")
    names = {path.relative_to(fingerprint._ROOT).as_posix() for path in found}
    assert {"queries.py", "model.py", "errors.py", "bijections/__init__.py"} <= names
    assert "bijections/affine.py" in names  # imported by what is imported
    assert not {name for name in names if name.startswith(("fitting", "cli", "experiments"))}
    assert code_fingerprint("elsewhere.model") != code_fingerprint("elsewhere.queries")


def test_it_is_the_same_in_another_process():
    code = "from elsewhere.experiments import fingerprint as f; print(f.code_fingerprint({!r}))"
    code = code.format("elsewhere.model")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == code_fingerprint("elsewhere.model")


class TestRows:
    @pytest.fixture
    def rows(self, tmp_path):
        return KeptRows(tmp_path, "elsewhere.model")

    def test_a_row_is_found_by_all_it_depends_on(self, rows):
        key = RowKey("cell", "can", 0, ("small", 3))
        assert rows.put(key, {"error": 0.1}) == rows.get(key) == {"error": 0.1}
        others = [RowKey("cell", "can", 1, ("small", 3)), RowKey("cell", "can", 0, ("small", 4))]
        assert [rows.get(other) for other in others] == [None, None]
        assert rows.stale([key, *others]) == []

    @pytest.mark.parametrize("name", ["__version__", "code_fingerprint"])
    def test_another_version_or_other_code_is_stale(self, rows, monkeypatch, capsys, name):
        key = RowKey("cell", "can", 0)
        rows.put(key, {"error": 0.1})
        other = "9.9" if name == "__version__" else lambda module: "other"
        monkeypatch.setattr(f"elsewhere.experiments.rows.{name}", other)
        assert rows.get(key) is None
        assert rows.stale([key]) == [key]
        rows.say_stale([key])
        assert "1 kept row(s) were made by other code" in capsys.readouterr().err

    def test_rows_of_the_old_form_are_stale(self, rows):
        key = RowKey("cell", "can", 0)
        rows.path(key).parent.mkdir()
        rows.path(key).write_text('{"error": 0.1}')
        assert rows.stale([key]) == [key]


class TestFamilies:
    def test_names_find_their_families(self):
        assert by_family(["s1", "I3", "S9"]) == {"S": ["S1", "S9"], "I": ["I3"]}
        for letter in FAMILIES:
            family = family_called(letter)
            assert all(name.startswith(letter) for name in family.names())
            assert family.listing().row_count == len(family.names())
        with pytest.raises(ValueError, match=r"one of S1, .*, I7.*; got 'X1'"):
            by_family(["X1"])

    def test_seeds(self):
        assert [*seed_range("3"), *seed_range("10-11")] == [0, 1, 2, 10, 11]
        with pytest.raises(ValueError, match="number or a range"):
            seed_range("a")
