"""Locales that lack letters: people read them written out, programs get UTF-8."""

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

from elsewhere.estimators import DomainCounterfactual
from elsewhere.streams import open_streams, out_for_programs

FRAME = pd.DataFrame(
    {"血圧": np.r_[0:1:20j, 1:3:20j], "site": np.repeat(["東京", "µ"], 20), "note": "🙂"}
)


@pytest.fixture(params=["ascii", "latin-1", "cp1252"])
def said(request, monkeypatch):
    """What standard output gets while a function runs: few letters, and Windows' line ends."""

    def by(function, *arguments):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=request.param, newline="\r\n")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            function(*arguments)
            stream.flush()
        return raw.getvalue()

    return by


@pytest.fixture
def model(tmp_path):
    """A model of the table, and the table."""
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    est = DomainCounterfactual(mixing="moments").fit(FRAME[["血圧"]], FRAME["site"])
    return est.save(tmp_path / "a.model"), tmp_path / "d.csv"


def test_answers_are_utf_8(run, said, model):
    text = said(run, "counterfactual", *model, "--to", "東京", "--out", "-").decode()
    assert text.startswith("血圧,site,note\n")
    assert "🙂" in text
    assert "\r" not in text


def test_json_is_utf_8(run, said, model):
    summary = said(run, "inspect", model[0], "--json").decode()
    assert json.loads(summary)["domains"] == ["µ", "東京"]


def test_text_is_written_out(run, said, model):
    assert b"\\u6771\\u4eac" in said(run, "inspect", model[0])


@pytest.mark.fast
def test_a_name_that_is_no_text_stays_json(said):
    """A folder's name may be any bytes, which Python has as lone surrogates."""

    def summary():
        open_streams()
        out_for_programs().write(json.dumps({"domain": "\udcff"}, ensure_ascii=False))

    assert json.loads(said(summary).decode()) == {"domain": "\udcff"}
