from elsewhere.experiments import arrows
from elsewhere.experiments.cells import Setting
from elsewhere.experiments.reproduce import Simulated


def test_a_picture_for_each_pair_of_domains(tmp_path, monkeypatch):
    monkeypatch.setattr(arrows, "SETTING", Setting(3, 2, (1, 2), "sparse"))
    paths = arrows.draw_arrows(tmp_path, seed=0, rows=2_000, recipe=False, command="reproduce S9")
    assert [path.name for path in paths] == ["from-0-to-1.png", "from-1-to-0.png"]
    assert all(path.stat().st_size > 1_000 for path in paths)
    assert (tmp_path / "made-by.json").exists()


def test_the_canonical_form_step_by_step(tmp_path):
    asked = {"seeds": None, "quick": False, "recipe": False, "rows": 10, "data": "both"}
    asked |= {"domains": None}
    (path,) = Simulated().run(["S10"], tmp_path, asked, "elsewhere reproduce S10")
    assert path == tmp_path / "S10" / "canonical-steps.png"
    assert path.stat().st_size > 10_000
    assert "reproduce S10" in (tmp_path / "S10" / "made-by.json").read_text()
