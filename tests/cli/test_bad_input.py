"""Whatever is wrong: one line on stderr, a documented exit code, and nothing lost."""

import os

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.arrow_mover import ArrowMover
from table_data import FEATURES, SETTINGS, table

FRAME = table().reset_index(drop=True)
BAD, USAGE, NO_FILE = 1, 2, 3


def fit(run, data, tmp_path, *more):
    return run("fit", data, "--domain", "site", "--out", tmp_path / "new.model", *more)


def move(run, model, data, tmp_path, *more):
    return run("counterfactual", model, data, "--to", "south", "--out", tmp_path / "o.csv", *more)


def check(answer, code, message):
    assert answer.code == code, answer
    assert answer.err.startswith("elsewhere: ")
    assert message in answer.err
    assert len(answer.err.splitlines()) == 1
    assert not answer.out


def with_value(column, value):
    frame = FRAME.astype({column: object})
    frame.loc[4, column] = value
    return frame.to_csv(index=False).encode()


def without(column):
    return FRAME.drop(columns=column).to_csv(index=False).encode()


TEXT = FRAME.to_csv(index=False)
TABLES = {
    "missing column": (
        FRAME.drop(columns="site").to_csv(index=False).encode(),
        "no column ['site']",
    ),
    "empty": (b"", "is empty"),
    "header only": (TEXT.splitlines()[0].encode() + b"\n", "holds no rows"),
    "two of one name": (TEXT.replace("count", "mass", 1).encode(), "duplicate column names"),
    "inf": (with_value("level", "inf"), "inf at row 5, column 'level'"),
    "no domain": (with_value("site", ""), "row 5 has none"),
    "one domain": (TEXT.replace("north", "south").encode(), "at least 2 different labels"),
    "not UTF-8": (TEXT.replace("north", "nørth").encode("latin-1"), "must be UTF-8"),
    "ragged": (TEXT.encode() + b"1,2\n", "cannot be read as csv"),
    "one row each": (
        FRAME.drop_duplicates("site").to_csv(index=False).encode(),
        "at least one domain must have 2 rows",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_that_cannot_be_fitted(run, tmp_path, name):
    content, message = TABLES[name]
    (tmp_path / "d.csv").write_bytes(content)
    check(fit(run, tmp_path / "d.csv", tmp_path), BAD, message)
    assert not (tmp_path / "new.model").exists()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--columns", "mass,height"], "no column ['height']"),
        (["--columns", "mass,note"], "column 'note' of"),
        (["--columns", "mass,level,site"], "--columns must not name the domain's"),
        (["--links", "height=positive"], "no column ['height']"),
        (["--links", "mass=bounded:0:x"], "--links must be like mass=bounded:0:1"),
        (["--links", "cubic"], "must be one of"),
        (["--k", "two"], "--k must be auto, dense or a number"),
        (["--k", "99"], "k must be in 0.."),
        (["--mixing", "cubic"], "mixing must be one of"),
    ],
)
def test_choices_that_cannot_be(run, data, tmp_path, more, message):
    FRAME.assign(note="high").to_csv(data, index=False)
    check(fit(run, data, tmp_path, *more), BAD, message)


class TestQuestions:
    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (without("mass"), "no column ['mass']"),
            (without("site"), "Add it, or use --from"),
            (with_value("level", "high"), "column 'level' of"),
            (with_value("level", "-inf"), "-inf at row 5, column 'level'"),
            (with_value("mass", "-1"), "row 5, column 'mass' holds -1"),
            (with_value("site", "west"), "domain 'west' is not in the model"),
            (TEXT.splitlines()[0].encode() + b"\n", "holds no rows"),
            (b"", "is empty"),
        ],
    )
    def test_tables_that_cannot_be_asked_about(self, run, model, tmp_path, content, message):
        (tmp_path / "d.csv").write_bytes(content)
        (tmp_path / "o.csv").write_text("precious")
        check(move(run, model, tmp_path / "d.csv", tmp_path, "--force"), BAD, message)
        assert (tmp_path / "o.csv").read_text() == "precious"
        assert not list(tmp_path.glob(".o.csv*"))

    def test_unknown_target_and_doubled_source(self, run, model, data, tmp_path):
        to_west = run("counterfactual", model, data, "--to", "west", "--out", tmp_path / "o.csv")
        check(to_west, BAD, "domain 'west' is not in the model")
        check(move(run, model, data, tmp_path, "--from", "north"), BAD, "remove --from")

    def test_a_column_that_the_answer_would_add_twice(self, run, model, tmp_path):
        FRAME.assign(mass_low=1).to_csv(tmp_path / "d.csv", index=False)
        answer = move(run, model, tmp_path / "d.csv", tmp_path, "--spread")
        check(answer, BAD, "has columns ['mass_low'], which the answer adds")

    def test_a_model_of_an_array(self, run, data, tmp_path):
        est = DomainCounterfactual(**SETTINGS).fit(FRAME[FEATURES[:3]].to_numpy(), FRAME["site"])
        path = est.save(tmp_path / "array.model")
        check(move(run, path, data, tmp_path), BAD, "fitted to an array without column names")


class TestFiles:
    def test_what_is_not_there_or_a_directory(self, run, model, data, tmp_path):
        (tmp_path / "dir.csv").mkdir()
        check(fit(run, tmp_path / "none.csv", tmp_path), NO_FILE, "none.csv")
        check(fit(run, tmp_path / "dir.csv", tmp_path), BAD, "dir.csv is a folder")
        check(move(run, tmp_path / "none.model", data, tmp_path), NO_FILE, "none.model")
        check(move(run, tmp_path, data, tmp_path), NO_FILE, "is a directory")
        into = run("counterfactual", model, data, "--to", "south", "--out", tmp_path / "dir.csv")
        check(into, NO_FILE, "is a directory")

    def test_an_unknown_suffix(self, run, model, data, tmp_path):
        odd = run("counterfactual", model, data, "--to", "south", "--out", tmp_path / "o.xlsx")
        check(odd, BAD, "must end in one of")

    def test_an_output_that_exists_is_kept(self, run, model, data, tmp_path):
        (tmp_path / "o.csv").write_text("precious")
        check(move(run, model, data, tmp_path), BAD, "already exists. Add --force")
        assert (tmp_path / "o.csv").read_text() == "precious"
        (tmp_path / "new.model").write_text("precious")
        check(fit(run, data, tmp_path), BAD, "already exists")
        assert (tmp_path / "new.model").read_text() == "precious"

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_no_permission(self, run, model, data, tmp_path):
        data.chmod(0)
        check(move(run, model, data, tmp_path), NO_FILE, "Permission denied")
        data.chmod(0o644)
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o500)
        out = run("counterfactual", model, data, "--to", "south", "--out", closed / "o.csv")
        check(out, NO_FILE, "Permission denied")

    @pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
    def test_a_full_disk(self, run, model, data, tmp_path, suffix):
        full = tmp_path / f"full.{suffix}"
        full.symlink_to("/dev/full")
        answer = run("counterfactual", model, data, "--to", "south", "--out", full, "--force")
        check(answer, NO_FILE, "No space left on device")

    @pytest.mark.parametrize(
        "damage", [lambda b: b[:-9], lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b""]
    )
    @pytest.mark.parametrize("command", ["counterfactual", "inspect", "evaluate"])
    def test_a_model_cut_short_or_edited(self, run, model, data, tmp_path, damage, command):
        model.write_bytes(damage(model.read_bytes()))
        arguments = {
            "counterfactual": [model, data, "--to", "south", "--out", tmp_path / "o.csv"],
            "inspect": [model],
            "evaluate": [model, data],
        }[command]
        answer = run(command, *arguments)
        assert (answer.code, len(answer.err.splitlines())) == (BAD, 1)
        assert "a.model" in answer.err

    def test_a_model_of_a_newer_format(self, run, model, data, tmp_path):
        model.write_bytes(model.read_bytes().replace(b"format 2", b"format 9", 1))
        check(move(run, model, data, tmp_path), BAD, "Install a newer elsewhere")


def test_a_killed_run_leaves_no_half_file(run, model, tmp_path, monkeypatch):
    whole = ArrowMover.__call__
    calls = []

    def interrupted(self, *arguments, **named):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole(self, *arguments, **named)

    monkeypatch.setattr(ArrowMover, "__call__", interrupted)
    big = pd.DataFrame({name: np.tile(FRAME[name], 700) for name in FRAME})
    big.to_parquet(tmp_path / "big.parquet")
    (tmp_path / "o.csv").write_text("precious")
    answer = move(run, model, tmp_path / "big.parquet", tmp_path, "--force")
    assert answer.code == 130
    assert (tmp_path / "o.csv").read_text() == "precious"
    assert not list(tmp_path.glob(".o.csv*"))


def test_usage(run, model, data):
    assert run("counterfactual", model, data, "--out", "-").code == USAGE
    assert run("fit", data).code == USAGE
    both = run("counterfactual", model, data, "--to", "south", "--out", "-", "--json")
    assert both.code == USAGE


def test_text_that_means_missing_and_rows_that_are_dropped(run, tmp_path):
    data, model = tmp_path / "gaps.csv", tmp_path / "gaps.model"
    data.write_bytes(with_value("level", "?"))
    refused = run("fit", data, "--domain", "site", "--out", model)
    check(refused, BAD, "'?' in row 5")
    gap = run("fit", data, "--domain", "site", "--out", model, "--na", "?", "--missing", "refuse")
    check(gap, BAD, "NaN at row 5, column 'level'")
    wrong = run("fit", data, "--domain", "site", "--out", model, "--missing", "guess")
    check(wrong, BAD, "--missing must be keep, drop or refuse")
    fitted = run("fit", data, "--domain", "site", "--out", model, "--na", "?", "--missing", "drop")
    assert fitted.code == 0
    kept = run("fit", data, "--domain", "site", "--out", model, "--na", "?", "--force")
    assert kept.code == 0
    assert "1 of 900 entries (0.1%) are missing" in kept.err
    assert move(run, model, data, tmp_path).code == 0  # the model knows what means missing
    assert (tmp_path / "o.csv").read_text().splitlines()[5].split(",")[4] == "?"
