"""The experiments on real tables, on made-up ones of their kind."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from elsewhere.cli import app
from elsewhere.datasets.real import PairedData, RealDataError
from elsewhere.experiments.real import methods, references, sets
from elsewhere.experiments.real.figure import dot_figure
from elsewhere.experiments.real.methods import METHODS, RealMethod, run
from elsewhere.experiments.real.reproduce import RealPlan, reproduce_real
from elsewhere.experiments.real.sets import RealSet, real_set
from elsewhere.experiments.real.split import PairedSplit
from elsewhere.experiments.real.summary import best_baseline, markdown, summarise, verdict, wide

QUICK = ("identity", "mean_shift", "mean_variance", "ridge")


def paired(seed=0, D=2, n=40, p=3, offset=4.0):
    """Domain d adds an offset and a little noise of its own."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(1, n, p)) + offset * np.arange(D)[:, None, None]
    values = values + 0.1 * rng.normal(size=(D, n, p))
    names = [tuple(f"{letter}{i}" for i in range(k)) for letter, k in zip("dsx", (D, n, p))]  # noqa: B905
    return PairedData("made up", values, *names)


@pytest.fixture
def made_up(monkeypatch):
    one = RealSet("made up", lambda directory: paired(), False, "Nothing to know.")
    monkeypatch.setitem(sets.REAL_SETS, "R1", one)


def test_what_is_shown_has_no_sample_twice_and_references_see_none_that_is_asked():
    data = paired(D=3, n=60)
    split = PairedSplit(data, 5)
    rows = [tuple(row) for d, table in enumerate(split.tables) for row in table]
    assert len(set(rows)) == 60
    assert sorted(len(table) for table in split.tables) == [20, 20, 20]
    x, y = split.seen_pairs(0, 2)
    assert x.shape == y.shape == (30, 3)
    asked_about = {tuple(row) for row in data.values[0, split.given == 0]}
    assert not asked_about & {tuple(row) for row in x}
    key = {tuple(row): i for i, row in enumerate(data.values[0])}
    np.testing.assert_array_equal(y, data.values[2, [key[tuple(row)] for row in x]])


def test_a_shift_beats_nothing_and_pairs_beat_a_shift():
    split = PairedSplit(paired(n=200), 0)
    errors = {name: run(name, split)["error"] for name in QUICK}
    assert errors["ridge"] < errors["mean_shift"] < 0.2 < 10 < errors["identity"]


def test_elsewhere_is_asked_through_its_public_estimator(monkeypatch):
    seen = {}

    class Double:
        def fit(self, X, domains):
            seen.update(X=X, domains=list(domains))
            return self

        def counterfactual(self, X, *, source, target):
            return X + 4.0 * (int(target[1]) - int(source[1]))

    monkeypatch.setattr("elsewhere.estimators.DomainCounterfactual", Double)
    split = PairedSplit(paired(), 0)
    row = run("elsewhere", split)
    assert row["error"] < 0.05
    assert row["note"] == ""
    assert seen["domains"] == ["d0"] * 20 + ["d1"] * 20
    np.testing.assert_array_equal(seen["X"], np.concatenate(split.tables))


def test_a_refusal_is_a_result(monkeypatch):
    def refuse(split):
        raise ValueError("too\n  wide")

    monkeypatch.setitem(METHODS, "elsewhere", RealMethod("elsewhere", "ours", refuse))
    row = run("elsewhere", PairedSplit(paired(), 0))
    assert row["note"] == "refused: too wide"
    assert np.isnan(row["error"])


@pytest.mark.parametrize(
    ("method", "note"),
    [
        (RealMethod("a", "peer", lambda split: None, package="no_such_package"), "not installed"),
        (RealMethod("a", "peer", lambda split: None, columns=2), "its 3 × 3 matrices"),
        (RealMethod("a", "reference", lambda split: None, ordered=True), "columns in an order"),
    ],
)
def test_what_is_not_run_says_why(method, note, monkeypatch):
    monkeypatch.setitem(METHODS, "a", method)
    assert note in run("a", PairedSplit(paired(), 0))["note"]


def test_answers_that_are_not_finite_are_a_refusal(monkeypatch):
    endless = RealMethod("a", "peer", lambda split: lambda d, e: np.full((20, 3), np.inf))
    monkeypatch.setitem(METHODS, "a", endless)
    assert (
        run("a", PairedSplit(paired(), 0))["note"] == "refused: answers must be finite; 60 are not."
    )


@pytest.mark.parametrize("name", ["inmoose", "pot_linear", "skada_monge", "ds", "pds"])
def test_other_packages_where_they_are_installed(name):
    pytest.importorskip(METHODS[name].package)
    offset = 0.0 if name == "ds" else 4.0  # it has no intercept
    row = run(name, PairedSplit(paired(D=3, n=90, p=4, offset=offset), 0, ordered=True))
    assert row["note"] == ""
    assert row["error"] < 1


def test_chemotools_is_given_its_instruments_the_right_way_round():
    class Double:
        def fit(self, X, X_source):
            self.step = (X_source - X).mean(0)
            return self

        def transform(self, X):
            return X + self.step

    split = PairedSplit(paired(), 0)
    assert split.error(references._chemotools(split, Double())) < 0.2


def rows():
    """Two splits: a is the best baseline, ours wins one split of two."""
    errors = {"elsewhere": (0.1, 0.4), "mean_shift": (0.2, 0.3), "identity": (2.0, 3.0)}
    errors |= {"ridge": (0.01, 0.02), "skada_monge": (np.nan, 1.0)}
    return pd.DataFrame(
        [
            {
                "method": m,
                "seed": s,
                "error": e,
                "seconds": 1.0,
                "note": "refused: x" if np.isnan(e) else "",
            }
            for m, values in errors.items()
            for s, e in enumerate(values)
        ]
    )


def test_the_summary_counts_ranks_and_wins_without_those_that_see_pairs():
    table = summarise(rows())
    assert best_baseline(wide(rows())) == "mean_shift"
    assert list(table) == ["ridge", "elsewhere", "mean_shift", "identity", "skada_monge"]
    ours = table["elsewhere"]
    assert [ours[c] for c in ("mean", "rank", "won", "ratio")] == pytest.approx([0.25, 1.5, 1, 1])
    assert np.isnan(table["ridge"]["rank"])
    assert table["skada_monge"]["note"] == "refused: x"


def test_losses_are_shown():
    assert "is ahead of it on 1 of 2 splits" in verdict(rows())
    text = markdown(rows())
    assert re.search(r"\| \*\*elsewhere\*\* \| 0.25 ± 0.21 \| 1.00 \| 1.5 \| 1 \|", text)
    assert "| refused: x |" in text
    refused = rows().query("method != 'elsewhere' or seed == 0").assign(error=np.nan)
    both = pd.concat(
        [rows().query("method != 'elsewhere'"), refused[refused.method == "elsewhere"]]
    )
    assert "gave no answer on 1 of 1 splits" in verdict(both)
    assert "was not run" in verdict(rows().query("method != 'elsewhere'"))


def test_the_picture_has_a_dot_per_split_and_a_line_for_the_best_baseline():
    (ax,) = dot_figure("title", rows()).axes
    assert [t.get_text() for t in ax.get_yticklabels()][-1] == METHODS["ridge"].label
    dots = [line for line in ax.lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert sorted(len(line.get_xdata()) for line in dots) == [2, 2, 2, 2]
    assert any(
        line.get_xdata() == [0.25, 0.25] for line in ax.lines if line.get_linestyle() == "--"
    )
    assert ax.get_xscale() == "log"


def test_results_are_written_kept_and_completed(made_up, tmp_path, monkeypatch):
    (folder,) = reproduce_real(["R1"], tmp_path, RealPlan(range(2), QUICK), "made here")
    first = pd.read_csv(folder / "rows.csv")
    assert len(first) == 8
    assert json.loads((folder / "made-by.json").read_text())["command"] == "made here"
    assert (folder / "figure.png").stat().st_size > 5_000
    assert "The best baseline is mean shift" in (folder / "table.md").read_text()
    assert (folder / "splits.md").read_text().count("**") == 4
    calls = []
    monkeypatch.setattr(
        "elsewhere.experiments.real.reproduce.run",
        lambda name, split: calls.append((name, split.seed)) or run(name, split),
    )
    reproduce_real(["R1"], tmp_path, RealPlan(range(3), ("mean_shift",)), "again")
    assert calls == [("mean_shift", 0), ("mean_shift", 1), ("mean_shift", 2)]
    again = pd.read_csv(folder / "rows.csv")
    assert len(again) == 9
    assert again.merge(first, on=["method", "seed"])[["error_x", "error_y"]].T.nunique().max() == 1


def test_without_names_only_what_is_missing_is_run(made_up, tmp_path, monkeypatch):
    calls = []

    def once(name, split):
        calls.append(name)
        note = "not run: x is not installed" if name == "inmoose" else ""
        error = np.nan if note else 1.0 + len(name)
        return {"method": name, "seed": split.seed, "error": error, "seconds": 1, "note": note}

    monkeypatch.setattr("elsewhere.experiments.real.reproduce.run", once)
    reproduce_real(["R1"], tmp_path, RealPlan([0]), "first")
    assert calls == list(METHODS)
    calls.clear()
    reproduce_real(["R1"], tmp_path, RealPlan([0]), "second")
    assert calls == ["inmoose"]  # it may be installed by now


def test_the_command_runs_and_names_what_is_wrong(made_up, tmp_path):
    runner = CliRunner()
    args = ["reproduce", "r1", "--seeds", "100-101", "--out", str(tmp_path)]
    done = runner.invoke(app, [*args, "--models", ",".join(QUICK)], catch_exceptions=False)
    assert done.exit_code == 0
    assert sorted(set(pd.read_csv(tmp_path / "R1" / "rows.csv")["seed"])) == [100, 101]
    with pytest.raises(ValueError, match="--models must be among elsewhere, identity.*got 'what'"):
        methods.asked(("what",))
    with pytest.raises(ValueError, match="must be one of R1, R2, R3, R4, R5, R6, R7, R8; got 'R9'"):
        real_set("R9")
    listed = runner.invoke(app, ["reproduce", "--list"])
    assert "R8" in listed.stdout


def test_a_missing_directory_stops_with_its_name(tmp_path):
    plan = RealPlan([0], ("identity",))
    with pytest.raises(RealDataError, match="nowhere is not a directory"):
        reproduce_real(["R2"], tmp_path, plan, "x", tmp_path / "nowhere")


def test_our_method_alone_has_doing_nothing_beside_it():
    assert methods.asked(("elsewhere",)) == ["identity", "elsewhere"]
    assert methods.asked(("elsewhere", "mean_shift")) == ["elsewhere", "mean_shift"]
