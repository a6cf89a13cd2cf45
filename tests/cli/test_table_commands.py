"""From a file to a model to a file, through the command alone."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from table_data import FEATURES, SETTINGS, fitted, table

FRAME = table().reset_index(drop=True)
FIT = ("--k", "1", "--mixing", "linear", "--columns", "mass,count,level,flat")
READ = {"csv": pd.read_csv, "parquet": pd.read_parquet, "feather": pd.read_feather}


class TestFit:
    def test_the_command_and_python_give_the_same_answers(self, run, data, tmp_path):
        model, out = tmp_path / "m.model", tmp_path / "out.csv"
        fit = run("fit", data, "--domain", "site", "--out", model, *FIT, "--json")
        assert fit.code == 0, fit.err
        moved = run("counterfactual", model, data, "--to", "south", "--out", out)
        assert moved.code == 0, moved.err
        frame = pd.read_csv(data, float_precision="round_trip")
        est = DomainCounterfactual(**SETTINGS).fit(frame[FEATURES], frame["site"])
        answer = est.counterfactual(frame[FEATURES], source=frame["site"], target="south")
        written = pd.read_csv(out, float_precision="round_trip")
        before = pd.read_csv(data, dtype=str)
        places = before["mass"].str.partition(".")[2].str.len().max()
        answer["mass"] = answer["mass"].round(places)  # as many decimals as the table has
        pd.testing.assert_frame_equal(written[FEATURES], answer, check_exact=True)
        assert (written["site"] == "south").all()
        assert list(written) == list(FRAME)

    def test_the_summary_is_json_on_stdout_and_notes_are_on_stderr(self, run, data, tmp_path):
        model = tmp_path / "m.model"
        fit = run("fit", data, "--domain", "site", "--out", model, *FIT, "--json", "--seed", "3")
        summary = json.loads(fit.out)
        assert summary["rows"] == {"north": 150, "south": 150}
        assert summary["columns"]["count"].startswith("whole numbers")
        assert summary["constant"] == ["flat"]
        assert (summary["k"], summary["mixing"], summary["seed"]) == (1, "linear", 3)
        lines = [line for line in fit.err.splitlines() if not line.startswith("fitting: ")]
        assert lines[0].startswith("note: columns ['flat'] never vary")  # after slow fits' progress

    def test_all_columns_of_numbers_are_modelled_by_default(self, run, tmp_path):
        FRAME.to_parquet(tmp_path / "data.parquet")
        arguments = ("--domain", "site", "--out", tmp_path / "m.model", "--k", "1")
        fit = run("fit", tmp_path / "data.parquet", *arguments, "--mixing", "linear")
        assert fit.code == 0, fit.err
        assert not fit.out
        est = DomainCounterfactual.load(tmp_path / "m.model")
        assert list(est.feature_names_in_) == FEATURES

    def test_a_domain_that_comes_later(self, run, tmp_path):
        late = FRAME.assign(site=np.where(FRAME.index % 3 == 0, "west", FRAME["site"]))
        early = late[late["site"] != "west"]
        early.to_csv(tmp_path / "early.csv", index=False)
        late.to_csv(tmp_path / "late.csv", index=False)
        fit = ("--domain", "site", "--out", tmp_path / "m.model", "--mixing", "moments")
        assert run("fit", tmp_path / "early.csv", *fit).code == 0
        grown = tmp_path / "grown.model"
        added = run("add-domain", tmp_path / "m.model", tmp_path / "late.csv", "--out", grown)
        assert added.code == 0, added.err
        assert "added: west (100 rows)" in added.err
        before, after = (DomainCounterfactual.load(p) for p in (tmp_path / "m.model", grown))
        assert after.domains_ == ("north", "south", "west")
        X, question = early[list(before.feature_names_in_)], {"source": "north", "target": "south"}
        pd.testing.assert_frame_equal(
            before.counterfactual(X, **question), after.counterfactual(X, **question)
        )
        again = run("add-domain", grown, tmp_path / "late.csv", "--out", tmp_path / "g2.model")
        assert again.code == 1
        assert "has no rows of a new domain" in again.err

    def test_links_and_numbered_domains(self, run, tmp_path):
        year = np.where(FRAME["site"] == "north", 2020, 2021)
        FRAME.assign(year=year).drop(columns="id").to_csv(tmp_path / "d.csv", index=False)
        links = "level=bounded:-20:20,mass=positive"
        arguments = ("--domain", "year", "--out", tmp_path / "m.model", *FIT, "--links", links)
        assert run("fit", tmp_path / "d.csv", *arguments).code == 0
        est = DomainCounterfactual.load(tmp_path / "m.model")
        assert est.domains_ == (2020, 2021)
        assert str(est.links_["level"]) == "within -20 … 20"
        ask = ("--to", "2021", "--out", tmp_path / "o.csv")
        assert run("counterfactual", tmp_path / "m.model", tmp_path / "d.csv", *ask).code == 0
        assert set(pd.read_csv(tmp_path / "o.csv")["year"]) == {2021}


class TestCounterfactual:
    @pytest.mark.parametrize("source", READ)
    @pytest.mark.parametrize("target", READ)
    def test_formats(self, run, model, tmp_path, source, target):
        data, out = tmp_path / f"d.{source}", tmp_path / f"o.{target}"
        frame = FRAME.assign(site=FRAME["site"].astype("category"))
        getattr(frame, f"to_{source}")(data, **({"index": False} if source == "csv" else {}))
        answer = run("counterfactual", model, data, "--to", "south", "--out", out, "--json")
        assert answer.code == 0, answer.err
        assert json.loads(answer.out)["rows"] == 300
        written = READ[target](out)
        assert list(written) == list(FRAME)
        expected = fitted().counterfactual(FRAME[FEATURES], source=FRAME["site"], target="south")
        for name in ("mass", "count", "level"):
            np.testing.assert_allclose(written[name].astype(float), expected[name], rtol=1e-6)
        if source == target != "csv":
            assert written.dtypes.astype(str).tolist() == frame.dtypes.astype(str).tolist()

    def test_carried_columns_and_rows_of_the_target_are_unchanged(self, run, model, data, tmp_path):
        out = tmp_path / "o.csv"
        run("counterfactual", model, data, "--to", "south", "--out", out)
        before, after = (pd.read_csv(p, dtype=str) for p in (data, out))
        pd.testing.assert_series_equal(before["id"], after["id"])
        home = before["site"] == "south"
        numbers = ["mass", "count", "level"]
        pd.testing.assert_frame_equal(
            after[home][numbers].astype(float), before[home][numbers].astype(float)
        )

    def test_all_targets_and_the_spread(self, run, model, data, tmp_path):
        out = tmp_path / "o.parquet"
        answer = run("counterfactual", model, data, "--to", "all", "--out", out, "--spread")
        assert answer.code == 0, answer.err
        written = pd.read_parquet(out)
        ends = [f"{name}_{end}" for name in ("mass", "count", "level") for end in ("low", "high")]
        assert list(written) == [*FRAME, "site_from", *ends]
        assert written["site"].tolist() == ["north"] * 300 + ["south"] * 300
        assert written["site_from"].tolist() == FRAME["site"].tolist() * 2
        assert (written["mass_low"] <= written["mass"]).all()
        assert (written["mass"] <= written["mass_high"]).all()

    def test_pipes(self, run, model, data, monkeypatch):
        text = data.read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        answer = run("counterfactual", model, "-", "--to", "south", "--out", "-")
        assert answer.code == 0, answer.err
        assert not answer.err
        written = pd.read_csv(io.StringIO(answer.out))
        assert list(written) == list(FRAME)
        assert len(written) == 300

    def test_a_table_without_a_column_of_domains(self, run, model, tmp_path):
        FRAME.drop(columns="site").to_csv(tmp_path / "d.csv", index=False)
        ask = ("--to", "south", "--from", "north", "--out", tmp_path / "o.csv")
        assert run("counterfactual", model, tmp_path / "d.csv", *ask).code == 0
        assert list(pd.read_csv(tmp_path / "o.csv")) == [n for n in FRAME if n != "site"]


class TestOthers:
    def test_inspect(self, run, model):
        shown = run("inspect", model)
        assert shown.code == 0
        assert "north" in shown.out
        assert "whole numbers" in shown.out
        assert json.loads(run("inspect", model, "--json").out)["domains"] == ["north", "south"]

    def test_evaluate(self, run, model, data):
        arguments = ("evaluate", model, data, "--no-planted", "--invariants", "flat")
        judged = run(*arguments, "--json")
        assert judged.code == 0, judged.err
        assert json.loads(judged.out)["level"] in ("good", "caution", "bad")
        assert "Should I use these answers?" in " ".join(run(*arguments).out.split())

    def test_report(self, run, model, data, tmp_path):
        pytest.importorskip("elsewhere.report.table_report")
        out = tmp_path / "r.html"
        made = run("report", model, data, "--out", out, "--no-planted")
        assert made.code == 0, made.err
        assert out.read_text().startswith("<!doctype html>")


class TestWhatDiffers:
    @pytest.fixture
    def shifted(self, tmp_path):
        """Two sites that differ by an offset, in a table of 30 columns."""
        rng = np.random.default_rng(0)
        x = rng.standard_normal((60, 30))
        x[30:, :10] += 3
        path = tmp_path / "wide.csv"
        frame = pd.DataFrame(x, columns=[f"c{j}" for j in range(30)])
        frame.assign(site=np.repeat(["a", "b"], 30)).to_csv(path, index=False)
        return path

    def test_fit_and_inspect_say_what_differs(self, run, shifted, tmp_path):
        model = tmp_path / "m.model"
        fit = run("fit", shifted, "--domain", "site", "--out", model)
        assert fit.code == 0, fit.err
        assert fit.err.startswith("The domains differ by an offset in ")
        assert "of 30 columns" in fit.err
        assert "nothing richer is supported" in fit.err
        assert "\n- offsets (used): an offset in " in fit.err
        assert "\n- scales (not used): " in fit.err
        shown = run("inspect", model)
        assert "what may differ between domains" in shown.out
        summary = json.loads(run("inspect", model, "--json").out)
        assert fit.err.startswith(summary["difference"])
        assert {c["explanation"]: c["used"] for c in summary["considered"]} == {
            "nothing": False,
            "offsets": True,
            "scales": False,
            "turns": False,
            "mechanisms": False,
        }

    def test_nothing_to_harmonise(self, run, tmp_path):
        x = np.random.default_rng(0).standard_normal((200, 4))
        frame = pd.DataFrame(x, columns=list("wxyz")).assign(site=np.repeat(["a", "b"], 100))
        frame.to_csv(tmp_path / "d.csv", index=False)
        fit = run("fit", tmp_path / "d.csv", "--domain", "site", "--out", tmp_path / "m", "--json")
        assert json.loads(fit.out)["difference"].startswith("There is nothing to harmonise: ")
        assert "there is nothing to harmonise" in fit.err.lower()

    def test_intervals_are_written_beside_the_answers(self, run, shifted, tmp_path):
        model, out = tmp_path / "m.model", tmp_path / "o.csv"
        assert run("fit", shifted, "--domain", "site", "--out", model).code == 0
        ask = ("counterfactual", model, shifted, "--to", "b", "--out", out)
        assert run(*ask, "--interval", "0.9").code == 0
        frame, written = pd.read_csv(shifted), pd.read_csv(out)
        estimator = DomainCounterfactual.load(model)
        X = frame.drop(columns="site")
        ends = estimator.interval(X, source=frame["site"], target="b", level=0.9)
        for end, expected in zip(("low", "high"), ends, strict=True):
            np.testing.assert_allclose(written[f"c0_{end}"], expected["c0"])
        moved = (frame["site"] == "a").to_numpy()
        assert (written["c0_low"] < written["c0"])[moved].all()
        assert (written["c0_high"] > written["c0"])[moved].all()
        assert (written["c0_low"] == written["c0"])[~moved].all()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--interval", "0.9", "--spread"], "--spread and --interval cannot be combined"),
            (["--interval", "90"], "--interval must be between 0 and 1"),
        ],
    )
    def test_ranges_that_cannot_be(self, run, model, data, tmp_path, options, message):
        ask = ("--to", "south", "--out", tmp_path / "o.csv")
        answer = run("counterfactual", model, data, *ask, *options)
        assert answer.code == 2
        assert message in answer.err
        assert not (tmp_path / "o.csv").exists()
