"""Ray on two nodes that these tests start, and stop, and kill."""

import json
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from elsewhere.experiments.processes import each_done
from elsewhere.experiments.rows import KeptRows, RowKey
from table_data import fitted, table

ray = pytest.importorskip("ray", reason="Ray is not installed: see `make test-engines`")
pytestmark = pytest.mark.filterwarnings("ignore")


@dataclass(frozen=True)
class Square:
    """A task that takes a while, and keeps one row; `seen` has a line for each run of it."""

    number: int
    kept: KeptRows
    seen: Path
    after: float = 0.0

    @property
    def key(self):
        return RowKey("squares", "square", self.number)

    def run(self):
        with self.seen.open("a") as file:
            file.write(f"{self.number} {ray.get_runtime_context().get_node_id()}\n")
        time.sleep(self.after)
        self.kept.put(self.key, {"square": self.number**2})
        return f"square {self.number}"


def squares(folder, seen, count=8, after=0.0):
    kept = KeptRows(folder, "elsewhere.experiments.rows")
    return [Square(i, kept, seen, after) for i in range(count)]


def rows(folder):
    return {p.name: json.loads(p.read_text())["row"] for p in Path(folder).rglob("*.json")}


NODE = {"num_cpus": 1, "object_store_memory": 100 * 2**20}


@pytest.fixture(scope="module")
def cluster():
    """A head and one more node, which find the tests' modules."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        folders = [str(folder) for folder in Path(__file__).parents[:2]]
        here = [*folders, os.environ.get("PYTHONPATH", "")]
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, here)))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        made = Cluster(initialize_head=True, head_node_args=NODE | {"include_dashboard": False})
        made.add_node(**NODE)
        ray.init(address=made.address, log_to_driver=False)
        yield made
        ray.shutdown()
        made.shutdown()


def test_a_data_set_is_moved(cluster):
    import ray.data

    from elsewhere.ray import counterfactual

    frame = table().reset_index(drop=True)
    asked = ray.data.from_arrow(pa.Table.from_pandas(frame)).repartition(4)
    found = counterfactual(asked, fitted(), target="south").to_pandas()
    expected = fitted().mover("south").frame(frame)
    found = found.sort_values("id", ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, rtol=1e-6, check_dtype=False)


def test_a_sweep_keeps_the_rows_of_a_local_one(cluster, tmp_path):
    from elsewhere.experiments.on_ray import each_done_on_ray

    tasks = squares(tmp_path / "there", tmp_path / "seen")
    assert sorted(each_done_on_ray(tasks)) == [f"square {i}" for i in range(8)]
    assert rows(tmp_path / "there") == {
        RowKey("squares", "square", i).place.name: {"square": i**2} for i in range(8)
    }


def test_a_node_that_dies_loses_nothing_and_doubles_nothing(cluster, tmp_path):
    from elsewhere.experiments.on_ray import each_done_on_ray

    dying, seen = cluster.add_node(**NODE), tmp_path / "seen"
    seen.touch()

    def kill_at_work():
        while dying.node_id not in seen.read_text():
            time.sleep(0.05)
        cluster.remove_node(dying, allow_graceful=False)

    killer = threading.Thread(target=kill_at_work, daemon=True)
    killer.start()
    said = list(each_done_on_ray(squares(tmp_path / "rows", seen, 12, 3.0)))
    assert not killer.is_alive(), "the third node was never given a task"
    assert sorted(said) == sorted(f"square {i}" for i in range(12))
    assert len(rows(tmp_path / "rows")) == 12
    runs = [line.split()[0] for line in seen.read_text().splitlines()]
    assert len(runs) > len(set(runs)) == 12, "the task of the node that died was run again"


def test_a_stopped_sweep_goes_on(cluster, tmp_path):
    from elsewhere.experiments.on_ray import each_done_on_ray

    first = each_done_on_ray(squares(tmp_path / "rows", tmp_path / "seen", 6, 0.2))
    next(first)
    first.close()
    done = [t for t in squares(tmp_path / "rows", tmp_path / "seen", 6) if t.kept.get(t.key)]
    assert done
    every = squares(tmp_path / "rows", tmp_path / "seen", 6)
    left = [task for task in every if task.kept.get(task.key) is None]
    list(each_done_on_ray(left))
    assert len(rows(tmp_path / "rows")) == 6


def test_tasks_that_keep_no_rows_are_refused(tmp_path):
    from elsewhere.experiments.on_ray import made_by

    @dataclass(frozen=True)
    class Other:
        def run(self):
            return "done"

    assert list(each_done([Other()], 1)) == ["done"]
    with pytest.raises(ValueError, match="does not keep its rows"):
        made_by(Other())
