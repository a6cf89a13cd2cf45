"""The image experiments on the command line: what is passed on, and mistakes in one line."""

from pathlib import Path

import pytest

from elsewhere.experiments.images import reproduce as images


@pytest.fixture
def asked(monkeypatch):
    """What the command asks for, without running it."""
    calls = []

    def record(names, out, plan, command, **named):
        calls.append((names, out, plan, named))
        return [out / name for name in names]

    monkeypatch.setattr(images, "reproduce_images", record)
    return calls


def test_options_reach_the_plan(run, asked, tmp_path):
    folder = tmp_path / "mnist"
    arguments = ["--out", tmp_path, "--recipe", "--ks", "1,m", "--seeds", "2-3"]
    arguments += ["--network", "resnet18", "--data-dir", folder, "--draw", "4", "--jobs", "2"]
    arguments += ["--models", "can, dense", "--pairs", "10,50"]
    answer = run("reproduce", "i3", *arguments)
    assert (answer.code, answer.out.split()) == (0, [str(tmp_path / "I3")])
    ((names, out, plan, named),) = asked
    assert (names, out) == (["I3"], tmp_path)
    assert (list(plan.seeds), plan.ks, plan.recipe) == ([2, 3], (1, None), True)
    assert (plan.network, plan.jobs, plan.only) == ("resnet18", 2, ("can", "dense"))
    assert plan.pairs == (10, 50)
    assert named == {"directory": folder, "quick": False, "draw": 4}


@pytest.mark.parametrize(
    ("options", "seeds"),
    [((), [0, 1, 2]), (("--quick",), [0]), (("--quick", "--seeds", "3"), [0, 1, 2])],
)
def test_how_many_seeds(run, asked, options, seeds):
    run("reproduce", "I1", "I7", *options)
    names, out, plan, named = asked[0]
    assert (names, out) == (["I1", "I7"], Path("results"))
    assert list(plan.seeds) == seeds
    assert named["quick"] == bool(options)


def test_the_list_has_both_kinds(run):
    answer = run("reproduce", "--list")
    for name in ("S1", "S9", "I1", "I5", "I7"):
        assert f"\n {name} " in answer.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["I6"], "experiment must be one of I1, I2, I3, I4, I5, I7; got 'I6'"),
        (["I3", "--ks", "1,x"], "--ks must be numbers or m, as 1,2,3,5,m; got 'x'"),
        (["I3", "--ks", "11"], "k must be in 1..10, the dimension of its codes; got 11"),
        (["I3", "--network", "vgg"], "--network must be small or resnet18; got 'vgg'"),
        (
            ["I3", "--models", "can,vae"],
            "models must be of can, can_detail, likelihood, identity, dense",
        ),
        (["I3", "--pairs", "ten"], "--pairs must be numbers, as 10,50,200; got 'ten'"),
        (["I3", "--seeds", "0"], "--seeds must name at least one seed"),
    ],
)
def test_a_mistake_is_one_line(run, arguments, message):
    answer = run("reproduce", *arguments)
    assert (answer.code, answer.out) == (1, "")
    assert message in answer.err
    assert len(answer.err.splitlines()) == 1


def test_no_jobs_at_all_are_refused(run):
    answer = run("reproduce", "S1", "--jobs", "0")
    assert (answer.code, answer.out) == (2, "")
    assert "--jobs" in answer.err
