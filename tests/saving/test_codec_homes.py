"""The table of codecs that load JAX names the modules that register them."""

from importlib import import_module

import pytest

from elsewhere.saving import codec, register_codec


def test_each_codec_is_registered_by_its_home():
    for name, home in codec._HOME.items():
        import_module(home)
        assert codec._BY_NAME[name].to_parts.__module__ == home
    rest = {name: c.to_parts.__module__ for name, c in codec._BY_NAME.items()}
    unlisted = {n for n, m in rest.items() if n not in codec._HOME and ".saving." in m}
    assert unlisted == {"AffineMap", "CorrectedMap", "GapModel"}


def test_a_name_that_is_taken_is_refused_before_its_codec_is_loaded(monkeypatch):
    monkeypatch.setattr(codec, "_BY_NAME", {})
    with pytest.raises(ValueError, match="a codec 'ILD' already exists"):
        register_codec(dict, "ILD", lambda value, writer: {}, lambda content, reader: {})
