"""What others may add from outside the package, by its own file and one registration."""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest

from elsewhere.baselines import BASELINES, Baseline, register_baseline
from elsewhere.baselines.interface import DomainMap
from elsewhere.cli.table_to_fit import read_labelled
from elsewhere.datasets.table_reading import TableFile
from elsewhere.datasets.tables import FORMATS, TableFormat, open_table, writing_table
from elsewhere.experiments import family
from elsewhere.experiments.images import settings
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import read_rows, write_results
from elsewhere.experiments.rows import KeptRows, RowKey
from elsewhere.report import write_report
from elsewhere.terminal import table
from elsewhere.trust import CHECKS, Judgement, register_check, table_trust, trust_report
from elsewhere.trust.case import make_case
from elsewhere.trust.planted import planted_truth
from fitted import estimator_with, table_of, true_model

pytestmark = pytest.mark.usefixtures("compile_fast")


@pytest.fixture(scope="module")
def fitted():
    truth = true_model()
    X, labels = table_of(truth, rows=200)
    return estimator_with(X, truth), X, labels


@dataclass(frozen=True)
class Means(DomainMap):
    """x − mean_d + mean_d'."""

    means: list

    def move(self, x, i, j):
        return x - self.means[i] + self.means[j]


class Centre(Baseline):
    """A toy: moves the mean and nothing else."""

    def _learn(self, samples):
        return Means([rows.mean(axis=0) for rows in samples])


class TestBaseline:
    @pytest.fixture(autouse=True)
    def registered(self):
        register_baseline("centre", Centre)
        yield
        del BASELINES["centre"]

    def test_a_planted_truth_is_compared_with_it(self, fitted):
        case = make_case(*fitted, 0)
        errors = planted_truth(case).errors
        assert 0 < errors["centre"] < errors["identity"]

    def test_a_name_is_taken_once(self):
        with pytest.raises(ValueError, match="'centre' already"):
            register_baseline("centre", Centre)

    def test_one_whose_package_is_missing_is_left_out(self, fitted, monkeypatch):
        monkeypatch.setattr(Centre, "needs", "no_such_package")
        assert "centre" not in planted_truth(make_case(*fitted, 0)).errors


@dataclass(frozen=True)
class Tallness:
    rows: int
    verdict: Judgement


def tallness(case):
    """A toy check: more rows than columns."""
    rows = min(map(len, case.linked.values()))
    level = "good" if rows > len(case.names) else "bad"
    return Tallness(rows, Judgement(level, f"{rows} rows <b>in all</b>."))


class TestCheck:
    @pytest.fixture(autouse=True)
    def registered(self):
        register_check("tallness", "Rows and columns", tallness)
        yield
        del CHECKS["tallness"]

    def test_it_is_in_the_report_and_on_the_page(self, fitted, tmp_path):
        trust = trust_report(*fitted, planted=False)
        assert trust.tallness.rows == 200
        assert trust.verdicts["tallness"].level == "good"
        assert trust.to_dict()["tallness"]["rows"] == 200
        text = write_report(*fitted, tmp_path / "r.html", trust=trust).read_text()
        assert "<h3>Rows and columns</h3>" in text
        assert "200 rows &lt;b&gt;in all&lt;/b&gt;." in text

    def test_names_that_would_hide_another_are_refused(self):
        for name in ("tallness", "fit", "moves", "not a name"):
            with pytest.raises(ValueError, match="must be a new Python name"):
                register_check(name, "Again", tallness)

    def test_an_unknown_part_names_the_known_ones(self, fitted):
        with pytest.raises(AttributeError, match="'shortness'; there are .*'tallness'"):
            _ = table_trust(*fitted, planted=False).shortness


class TestTableFormat:
    @pytest.fixture(autouse=True)
    def registered(self, monkeypatch):
        def opened(path):
            lines = [line.split(";") for line in Path(path).read_text().splitlines()]
            columns = dict(zip(lines[0], zip(*lines[1:], strict=True), strict=True))
            whole = pa.table({name: list(values) for name, values in columns.items()})
            return TableFile(path, whole.schema, True, lambda: iter([whole]))

        @contextmanager
        def written(part, schema):
            with part.open("w") as file:
                file.write(";".join(schema.names) + "\n")
                yield lambda t: file.writelines(
                    ";".join(map(str, row.values())) + "\n" for row in t.to_pylist()
                )

        monkeypatch.setitem(FORMATS, "semicolons", TableFormat((".ssv",), opened, written))

    def test_it_is_read_and_written(self, tmp_path):
        path = str(tmp_path / "a.ssv")
        whole = pa.table({"site": ["a", "b"], "x": ["1", "2.5"]})
        with writing_table(path, whole.schema) as write:
            write(whole)
        assert open_table(path).read() == whole
        X, labels, *_ = read_labelled(path, "site", None)
        assert X["x"].tolist() == [1.0, 2.5]
        assert labels.tolist() == ["a", "b"]


class TestFamily:
    def test_rows_become_a_table_and_a_figure(self, tmp_path, monkeypatch):
        class Toy(family.Family):
            def names(self):
                return ["X1"]

            def listing(self):
                return table("Toys", ["id"], [["X1"]])

            def run(self, names, out, asked, command):
                kept = KeptRows(out / "cache", "elsewhere.model")
                rows = []
                for seed in family.seed_range(asked["seeds"]):
                    key = RowKey("X1", "toy", seed)
                    rows.append(kept.get(key) or kept.put(key, {"seed": seed, "error": 0.5}))
                import pandas as pd

                made_by = provenance(command, [0, 1])
                tables = {"table": "# X1"}
                frame = pd.DataFrame(rows)
                yield write_results(out / "X1", frame, made_by, tables=tables, figures={})

        monkeypatch.setattr(f"{__name__}.Toy", Toy, raising=False)
        monkeypatch.setitem(family.FAMILIES, "X", f"{__name__}:Toy")
        (letter,) = family.by_family(["x1"])
        (folder,) = family.family_called(letter).run(["X1"], tmp_path, {"seeds": "2"}, "toy")
        assert read_rows(folder)["error"].tolist() == [0.5, 0.5]
        assert {path.name for path in folder.iterdir()} == {"rows.csv", "table.md", "made-by.json"}


TOYS = tuple(f"toy {i}" for i in range(10))


def test_an_image_data_set_is_a_source_and_a_setting(monkeypatch):
    def toy(key, setting, where):
        rooms = settings.SOURCES["shapes"](key, setting, where)
        return replace(rooms, train=replace(rooms.train, class_names=TOYS))

    monkeypatch.setitem(settings.SOURCES, "toy", toy)
    made = settings.ImageSetting("toys", "toy", 10, side=8)
    monkeypatch.setitem(settings.IMAGE_EXPERIMENTS, "I9", made)
    images = settings.load(settings.setting_of("I9"), None)
    assert images.train.class_names == TOYS
