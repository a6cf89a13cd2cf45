"""Directories, globs and partitioned tables, through the command."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from elsewhere.cli.kinds import IMAGES, TABLES, kind_of_data
from elsewhere.datasets.many_files import is_many, open_many, parts_of
from elsewhere.estimators import DomainCounterfactual
from table_data import FEATURES, fitted, table

FRAME = table().reset_index(drop=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return fitted().save(tmp_path_factory.mktemp("model") / "m.model")


@pytest.fixture
def folder(tmp_path):
    """Three files, one in a folder of its own."""
    for i, name in enumerate(["a.parquet", "b.parquet", "deep/c.parquet"]):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        FRAME.iloc[i * 100 : (i + 1) * 100].to_parquet(tmp_path / "in" / name, index=False)
    (tmp_path / "in" / "_SUCCESS.parquet").write_bytes(b"")
    return tmp_path / "in"


def expected(target="south"):
    answer = fitted().counterfactual(FRAME[FEATURES], source=FRAME["site"], target=target)
    return FRAME.assign(**{c: answer[c] for c in FEATURES}, site=target)


def same(found, wanted):
    np.testing.assert_allclose(found[FEATURES], wanted[FEATURES], rtol=1e-6)
    others = [name for name in wanted if name not in FEATURES]
    pd.testing.assert_frame_equal(found[others], wanted[others])


@pytest.mark.parametrize("pattern", ["", "/**/*.parquet"])
def test_a_directory_keeps_its_layout(run, model, folder, tmp_path, pattern):
    out = tmp_path / "out"
    arguments = ("--to", "south", "--out", out, "--json")
    answer = run("counterfactual", model, f"{folder}{pattern}", *arguments)
    assert answer.code == 0, answer.err
    assert (json.loads(answer.out)["rows"], json.loads(answer.out)["files"]) == (300, 3)
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*.parquet"))
    assert names == ["a.parquet", "b.parquet", "deep/c.parquet"]
    same(pd.concat([pd.read_parquet(out / n) for n in names], ignore_index=True), expected())
    again = run("counterfactual", model, folder, "--to", "south", "--out", out)
    assert "already contains files" in again.err
    assert run("counterfactual", model, folder, *arguments, "--force").code == 0


def test_folders_that_name_another_column(run, model, tmp_path):
    whole = pa.Table.from_pandas(FRAME.assign(year=np.arange(300) // 150 + 2020))
    ds.write_dataset(
        whole, tmp_path / "in", format="parquet", partitioning=["year"], partitioning_flavor="hive"
    )
    out = tmp_path / "out"
    assert run("counterfactual", model, tmp_path / "in", "--to", "south", "--out", out).code == 0
    read = ds.dataset(out, partitioning="hive").to_table().to_pandas()
    assert set(read["year"]) == {2020, 2021}
    same(read[list(FRAME)], expected())
    parts = [p.relative_to(out).as_posix() for p in out.rglob("*.parquet")]
    assert sorted(parts) == ["year=2020/part-0.parquet", "year=2021/part-0.parquet"]
    assert "year" not in pq.ParquetFile(out / parts[0]).schema.names


def test_folders_that_name_the_domain(run, model, tmp_path):
    ds.write_dataset(
        pa.Table.from_pandas(FRAME),
        tmp_path / "in",
        format="parquet",
        partitioning=["site"],
        partitioning_flavor="hive",
    )
    out = tmp_path / "out"
    moved = run("counterfactual", model, tmp_path / "in", "--to", "south", "--out", out)
    assert moved.code == 0, moved.err
    read = ds.dataset(out, partitioning="hive").to_table().to_pandas()
    assert set(read["site"]) == {"south"}
    assert read["site_from"].value_counts().to_dict() == {"north": 150, "south": 150}
    read = read.sort_values("id", ignore_index=True)
    np.testing.assert_allclose(read[FEATURES], expected()[FEATURES], rtol=1e-6)
    every = run("counterfactual", model, tmp_path / "in", "--to", "all", "--out", tmp_path / "x")
    assert "one domain at a time" in every.err


def test_csv_files_keep_their_letters(run, model, tmp_path):
    (tmp_path / "in").mkdir()
    FRAME.to_csv(tmp_path / "in" / "a.csv", index=False)
    one, many = tmp_path / "one.csv", tmp_path / "many"
    assert run("counterfactual", model, tmp_path / "in", "--to", "all", "--out", many).code == 0
    asked = ("--to", "all", "--out", one)
    assert run("counterfactual", model, tmp_path / "in" / "a.csv", *asked).code == 0
    assert (many / "a.csv").read_bytes() == one.read_bytes()


def test_the_answers_never_lie_among_the_questions(run, model, folder):
    inside = run("counterfactual", model, folder, "--to", "south", "--out", folder / "out")
    assert "which is read" in inside.err
    itself = run("counterfactual", model, folder, "--to", "south", "--out", folder, "--force")
    assert "would be replaced" in itself.err


def test_all_files_are_one_table_in_the_order_of_their_names(folder):
    assert is_many(str(folder))
    assert not is_many(str(folder / "a.parquet"))
    assert [p.relative.as_posix() for p in parts_of(str(folder))] == [
        "a.parquet",
        "b.parquet",
        "deep/c.parquet",
    ]
    pd.testing.assert_frame_equal(open_many(str(folder)).read().to_pandas(), FRAME)
    FRAME.drop(columns="id").to_parquet(folder / "d.parquet", index=False)
    with pytest.raises(ValueError, match="must have the same columns"):
        open_many(str(folder))


def test_a_folder_of_images_may_hold_a_table_too(tmp_path, folder):
    assert kind_of_data(str(folder)) == TABLES
    (folder / "deep" / "one.png").write_bytes(b"")
    assert kind_of_data(str(folder)) == IMAGES


class TestFit:
    def test_a_directory_gives_the_model_of_the_table(self, run, folder, tmp_path):
        FRAME.to_parquet(tmp_path / "whole.parquet", index=False)
        models = [tmp_path / "many.model", tmp_path / "one.model"]
        for data, model in zip([folder, tmp_path / "whole.parquet"], models, strict=True):
            fit = run("fit", data, "--domain", "site", "--out", model, "--mixing", "moments")
            assert fit.code == 0, fit.err
        many, one = map(DomainCounterfactual.load, models)
        asked = {"source": FRAME["site"], "target": "north"}
        answers = [est.counterfactual(FRAME[FEATURES], **asked) for est in (many, one)]
        pd.testing.assert_frame_equal(*answers, check_exact=True)

    def test_more_rows_than_asked_for(self, run, folder, tmp_path):
        out = ("--out", tmp_path / "m.model", "--mixing", "moments", "--json")
        fit = run("fit", folder, "--domain", "site", "--most-rows", "60", *out)
        assert fit.code == 0, fit.err
        said = json.loads(fit.out)
        assert said["rows"] == {"north": 60, "south": 60}
        assert any("60 of 150 of 'north'" in note for note in said["notes"])
        assert any("covariances are those of all rows" in note for note in said["notes"])

    def test_domains_in_the_names_of_folders(self, run, tmp_path):
        numbered = FRAME.assign(site=(FRAME["site"] == "north").astype(int))
        by_site = {"partitioning": ["site"], "partitioning_flavor": "hive"}
        ds.write_dataset(
            pa.Table.from_pandas(numbered), tmp_path / "in", format="parquet", **by_site
        )
        out = ("--out", tmp_path / "m.model", "--mixing", "moments")
        fit = run("fit", tmp_path / "in", "--domain", "site", *out)
        assert fit.code == 0, fit.err
        assert DomainCounterfactual.load(tmp_path / "m.model").domains_ == (0, 1)
