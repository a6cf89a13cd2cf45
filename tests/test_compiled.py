"""Compiled programs are kept between processes: whole, bounded, and not where it is off."""

import json
import os
import subprocess
import sys

import pytest

from elsewhere import compiled
from elsewhere.compiled import VARIABLE, keep_compiled

ASK = """
import json, os, sys
from elsewhere.compiled import keep_compiled
own = keep_compiled()
import jax
seen = {"hit": 0, "miss": 0}
def count(event, **_):
    for name, word in (("hit", "cache_hits"), ("miss", "cache_misses")):
        seen[name] += event.endswith(word)
jax.monitoring.register_event_listener(count)
jax.jit(lambda x: (x * 3.0).sum())(1.0)
print(json.dumps(seen | {"own": own and str(own)}))
"""


def asked(folder, **variables):
    """What a new process finds and adds."""
    gone = (VARIABLE, "JAX_COMPILATION_CACHE_DIR", "XLA_FLAGS")
    clean = {name: value for name, value in os.environ.items() if name not in gone}
    run = subprocess.run(
        [sys.executable, "-c", ASK],
        env=clean | {VARIABLE: str(folder)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == ""
    return json.loads(run.stdout)


def test_a_second_process_finds_what_the_first_has_compiled(tmp_path):
    first, second = asked(tmp_path), asked(tmp_path)
    assert (first["hit"], second["miss"]) == (0, 0)
    assert first["miss"] == second["hit"] > 0
    kept = list(tmp_path.rglob("*"))
    assert not [path for path in kept if path.parent.name == "running"]
    assert sum(path.name.endswith("-cache") for path in kept) == first["miss"]


def test_a_full_disk_is_not_the_users_trouble(tmp_path, monkeypatch):
    room = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    room += "resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9))\n"
    monkeypatch.setattr(f"{__name__}.ASK", room + ASK)
    assert asked(tmp_path)["miss"] > 0  # and nothing on stderr


@pytest.mark.fast
@pytest.mark.parametrize("word", ["off", "0", "OFF"])
def test_off_by_one_variable(monkeypatch, word):
    monkeypatch.setattr(sys, "modules", {n: m for n, m in sys.modules.items() if n != "jax"})
    monkeypatch.setenv(VARIABLE, word)
    assert keep_compiled() is None


@pytest.fixture
def without_jax(monkeypatch, tmp_path):
    """A process that has not loaded JAX, and a folder for what it keeps."""
    monkeypatch.setattr(sys, "modules", {n: m for n, m in sys.modules.items() if n != "jax"})
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    for name in ("JAX_COMPILATION_CACHE_DIR", *compiled._SETTINGS):
        monkeypatch.setenv(name, "")  # so that what is set is taken back
        monkeypatch.delenv(name)
    monkeypatch.setattr(compiled.atexit, "register", lambda *_: None)
    return tmp_path


@pytest.mark.fast
def test_a_folder_of_the_user_is_left_alone(monkeypatch, without_jax):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", str(without_jax / "mine"))
    assert keep_compiled() is None
    assert not list(without_jax.iterdir())


@pytest.mark.fast
def test_a_child_has_a_folder_of_its_own(without_jax):
    parent, child = keep_compiled(), keep_compiled()
    assert parent != child
    assert parent.parent == child.parent


@pytest.mark.fast
def test_half_an_entry_of_a_process_that_died_reaches_nobody(without_jax):
    own = keep_compiled()
    dead = own.parent / f"{2**22 + 1}-abc"
    dead.mkdir()
    (dead / "half-cache").write_bytes(b"half")
    assert not list(keep_compiled().glob("half-cache"))
    assert not dead.exists()


@pytest.mark.fast
def test_new_entries_are_moved_and_the_oldest_go_first(monkeypatch, without_jax):
    own = keep_compiled()
    monkeypatch.setattr(compiled, "MOST_BYTES", 250)
    for age, name in ((300, "old"), (200, "mid"), (100, "new")):
        path = own / f"{name}-cache"
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 - age, 1e9 - age))
    compiled._publish(own, os.getpid())
    shared = own.parent.parent
    assert sorted(p.name for p in shared.glob("*-cache")) == ["mid-cache", "new-cache"]
    assert not own.exists()
    again = keep_compiled()
    assert sorted(p.name for p in again.glob("*-cache")) == ["mid-cache", "new-cache"]


@pytest.mark.fast
def test_a_home_that_cannot_be_written_is_no_error(monkeypatch, without_jax):
    (without_jax / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(without_jax / "file"))
    assert keep_compiled() is None
