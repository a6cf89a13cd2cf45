"""Other ways to answer: baselines, all models' mean, rows of no known domain; and pairs."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from elsewhere.baselines import available
from elsewhere.cli import app
from elsewhere.estimators import DomainCounterfactual


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two sites that differ by an offset of 3 in a, and a model of them."""
    home, rng = tmp_path_factory.mktemp("ways"), np.random.default_rng(0)
    site = np.repeat(["north", "south"], 60)
    a, b = rng.normal(size=(2, 120))
    table = pd.DataFrame({"site": site, "a": a + 3 * (site == "south"), "b": b}).round(4)
    table.to_csv(home / "data.csv", index=False)
    words = ["fit", home / "data.csv", "--domain", "site", "--mixing", "moments"]
    fitted = CliRunner().invoke(app, [str(w) for w in [*words, "--out", home / "m.model"]])
    assert fitted.exit_code == 0, fitted.output
    return home


@pytest.fixture
def asked(run, folder):
    """The answers to a question about the table, or about another."""

    def ask(*words, data="data.csv"):
        out = folder / "answer.csv"
        words = ["--to", "south", "--out", out, "--force", *words]
        said = run("counterfactual", folder / "m.model", folder / data, *words)
        return said, pd.read_csv(out) if said.code == 0 else None

    return ask


def rows(folder, site="north"):
    table = pd.read_csv(folder / "data.csv")
    return table[table["site"] == site]


@pytest.mark.parametrize("method", [name for name in available() if name != "entropic_ot"])
def test_every_baseline_answers(asked, folder, method):
    said, answer = asked("--method", method)
    assert said.code == 0
    moved = (answer["a"] - pd.read_csv(folder / "data.csv")["a"])[:60].mean()
    assert moved == pytest.approx(0 if method == "identity" else 3.1, abs=0.2)
    assert (answer["site"] == "south").all()


def test_a_mean_shift_is_the_difference_of_means(asked, folder):
    _, answer = asked("--method", "mean_shift")
    shift = rows(folder, "south")["a"].mean() - rows(folder)["a"].mean()
    np.testing.assert_allclose(answer["a"][:60] - rows(folder)["a"], shift, atol=2e-4)


def test_an_unknown_method_is_named(asked):
    said, _ = asked("--method", "magic")
    assert said.code == 1
    assert "'combat'" in said.err
    assert "'magic'" in said.err


def test_the_consensus_is_that_of_python(asked, folder):
    _, answer = asked("--consensus")
    model, X = DomainCounterfactual.load(folder / "m.model"), rows(folder)[["a", "b"]]
    expected = model.consensus(X, source="north", target="south")
    np.testing.assert_allclose(answer[["a", "b"]][:60], expected, atol=1e-3)


@pytest.mark.parametrize(
    "words", [["--consensus", "--method", "combat"], ["--consensus", "--fill"]]
)
def test_ways_that_exclude_each_other(asked, words):
    assert asked(*words)[0].code == 1


class TestUnknown:
    def test_a_new_label_is_refused_with_the_hint(self, asked, folder):
        rows(folder).assign(site="west").to_csv(folder / "west.csv", index=False)
        said, _ = asked(data="west.csv")
        assert said.code == 1
        assert "--from unknown" in said.err

    def test_rows_like_a_known_domain_are_answered_like_its_own(self, asked, folder):
        far = rows(folder)[rows(folder)["a"] < 0].assign(site="west")
        far.to_csv(folder / "west.csv", index=False)
        _, answer = asked("--from", "unknown", data="west.csv")
        far = far.reset_index(drop=True)
        sure = far["a"] < -0.8  # more than 3 deviations from the south
        moved = (answer["a"] - far["a"])[sure]
        assert moved.mean() == pytest.approx(3.0, abs=0.3)
        assert (answer["site"] == "south").all()

    def test_intervals_are_wider_than_those_of_a_known_source(self, asked, folder):
        rows(folder).to_csv(folder / "north.csv", index=False)
        _, known = asked("--interval", "0.9", data="north.csv")
        _, unknown = asked("--interval", "0.9", "--from", "unknown", data="north.csv")
        width = [(t["a_high"] - t["a_low"]).mean() for t in (known, unknown)]
        assert width[1] > 1.2 * width[0]


class TestPairs:
    def test_pairs_from_a_file_are_those_of_python(self, run, folder):
        seen = rows(folder)[:12].assign(pair=range(12))
        again = seen.assign(site="south", a=seen["a"] + 2.5)
        pd.concat([seen, again]).to_csv(folder / "pairs.csv", index=False)
        out = folder / "paired.model"
        words = ["--domain", "site", "--mixing", "moments", "--pairs", folder / "pairs.csv"]
        assert run("fit", folder / "data.csv", *words, "--out", out, "--force").code == 0
        table = pd.read_csv(folder / "data.csv")
        given = ("north", "south", seen[["a", "b"]], again[["a", "b"]])
        model = DomainCounterfactual(mixing="moments").fit(
            table[["a", "b"]], table["site"], pairs=given
        )
        question = {"X": table[["a", "b"]][:5], "source": "north", "target": "south"}
        answer = DomainCounterfactual.load(out).counterfactual(**question)
        pd.testing.assert_frame_equal(answer, model.counterfactual(**question))
        assert (answer["a"] - table["a"][:5]).mean() < 2.9

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            (lambda t: t.drop(columns="pair"), "no column ['pair']"),
            (lambda t: t.assign(pair=range(len(t))), "same value of 'pair'"),
            (lambda t: t.assign(pair=1), "twice in"),
            (lambda t: t.assign(site="west"), "['west']"),
        ],
    )
    def test_files_that_hold_no_pairs(self, run, folder, change, said):
        both = pd.concat([rows(folder)[:3], rows(folder, "south")[:3]])
        change(both.assign(pair=[1, 2, 3] * 2)).to_csv(folder / "bad.csv", index=False)
        words = ["--domain", "site", "--pairs", folder / "bad.csv", "--out", folder / "no.model"]
        found = run("fit", folder / "data.csv", *words)
        assert found.code == 1
        assert said in found.err

    def test_intervals_calibrated_from_a_file_are_those_of_python(self, asked, folder):
        seen, rng = rows(folder)[:20].assign(pair=range(20)), np.random.default_rng(1)
        noisy = seen.assign(site="south", a=seen["a"] + 3 + rng.normal(size=20))
        pd.concat([seen, noisy]).to_csv(folder / "standards.csv", index=False)
        words = ["--interval", "0.9", "--pairs", folder / "standards.csv"]
        _, answer = asked(*words)
        model, X = DomainCounterfactual.load(folder / "m.model"), rows(folder)[["a", "b"]]
        low, high = model.interval(
            X,
            source="north",
            target="south",
            pairs=("north", "south", seen[["a", "b"]], noisy[["a", "b"]]),
        )
        north = answer[:60]
        np.testing.assert_allclose(north["a_low"], low["a"], atol=1e-3)
        np.testing.assert_allclose(north["a_high"], high["a"], atol=1e-3)
        assert (north["a_high"] - north["a_low"] > 1.5).all()
        assert asked("--pairs", folder / "standards.csv")[0].code != 0
        assert asked(*words, "--from", "unknown")[0].code == 1
