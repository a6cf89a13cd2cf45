from elsewhere.experiments import arrows
from elsewhere.experiments.cells import Setting


def test_a_picture_for_each_pair_of_domains(tmp_path, monkeypatch):
    monkeypatch.setattr(arrows, "SETTING", Setting(3, 2, (1, 2), "sparse"))
    paths = arrows.draw_arrows(tmp_path, seed=0, rows=2_000, recipe=False, command="reproduce S9")
    assert [path.name for path in paths] == ["from-0-to-1.png", "from-1-to-0.png"]
    assert all(path.stat().st_size > 1_000 for path in paths)
    assert (tmp_path / "made-by.json").exists()
