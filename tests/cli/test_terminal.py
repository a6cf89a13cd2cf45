"""What the command says by itself: a greeting, progress in lines, a panel, a doctor."""

import json
import re

import pytest

from elsewhere.terminal import ProgressLines


@pytest.mark.fast
def test_alone_it_greets_and_shows_three_commands(run):
    answer = run()
    assert answer.code == 0
    assert len(re.findall(r"^  elsewhere \w+", answer.out, re.MULTILINE)) == 3
    assert max(map(len, answer.out.splitlines())) <= 80


@pytest.mark.fast
def test_progress_without_a_terminal_is_a_line_now_and_then(monkeypatch, capsys):
    clock = iter([0.0, 1.0, 6.0, 7.0, 20.0])
    monkeypatch.setattr("elsewhere.terminal.time.monotonic", lambda: next(clock))
    said = ProgressLines("fitting")
    for done, words in ((0.1, "a"), (0.5, "b\x1b[2J"), (0.6, "c"), (0.8, "d")):
        said(done, words)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["fitting: 50 %, 6 s left, b\\x1b[2J", "fitting: 80 %, 5 s left, d"]


def test_doctor_tries_a_fit(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    answer = run("doctor")
    assert answer.code == 0, answer.err
    assert re.search(r"self-test\W+right", answer.out)
    assert "jax" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80


def test_a_doctor_that_finds_something_wrong_says_so(run, monkeypatch):
    monkeypatch.setattr("elsewhere.cli.doctor.self_test", lambda: 0.0)
    answer = run("doctor")
    assert answer.code == 1
    assert "WRONG" in answer.out


def test_evaluate_and_report_answer_the_first_question_in_80_columns(
    run, model, data, tmp_path, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("ELSEWHERE_PROGRESS", "0")
    answer = run("evaluate", model, data, "--no-planted")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("Should I use these answers? ")
    assert "\x1b" not in answer.out
    assert max(map(len, answer.out.splitlines())) <= 80
    assert "checking: " in answer.err
    assert "Do: " in answer.out
    made = run("report", model, data, "--no-planted", "--out", tmp_path / "r.html", "--json")
    assert "checking: 75 %" in made.err
    assert ", writing the page\n" in made.err
    decision = json.loads(made.out)["decision"]
    assert decision["answer"] in ("yes", "with care", "no")
    assert decision["answer"].upper() in answer.out
    assert "data.csv: 300 rows" in (tmp_path / "r.html").read_text()
