"""Answers of a fitted model, in this process: one row with its interval, or a file of all."""

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from elsewhere.app.fit_request import LEVEL
from elsewhere.cli.kinds import Opened, Question, domain_called, open_model
from elsewhere.cli.labels import labels_by_text
from elsewhere.cli.tables import read_known
from elsewhere.report.one_row import MovedCell, row_cells


@lru_cache(maxsize=8)
def model_at(path: Path) -> Opened:
    """The model in a file; those asked last stay open."""
    return open_model(path)


@lru_cache(maxsize=2)
def _rows(model: Path, data: Path) -> tuple:
    return read_known(model_at(model).estimator, str(data), None)


def detail(model: Path, data: Path, row: int, to: str) -> tuple[str, list[MovedCell]]:
    """(the domain of a row, its columns before and after); rows count from 1."""
    if data.is_dir():
        raise ValueError("Images have no rows: download the answers, or look at the pictures.")
    estimator = model_at(model).estimator
    X, labels, kept = _rows(model, data)
    if not 1 <= row <= len(X):
        raise ValueError(f"The row must be from 1 to {len(X)}; got {row}.")
    one, source = X.iloc[[row - 1]], labels[row - 1]
    target = domain_called(labels_by_text(estimator), to)
    own = {name: frame.iloc[[row - 1]] for name, frame in kept.items()}
    return str(source), row_cells(estimator, one, source=source, target=target, **own)


def all_answers(model: Path, data: Path, to: str) -> Path:
    """A file of every row as if from another domain, with its interval where that is known."""
    opened = model_at(model)
    if data.is_dir():
        return _all_images(opened, model, data, to)
    known = opened.estimator.result_.knows_uncertainty is not None
    out = model.with_name("answers.csv")
    asked = Question(str(data), str(out), to, None, False, True, LEVEL if known else None)
    opened.kind.answer(opened.estimator, asked)
    return out


def _all_images(opened: Opened, model: Path, data: Path, to: str) -> Path:
    """A ZIP file of every image as if from another domain, in the folders that they came in."""
    with tempfile.TemporaryDirectory(dir=model.parent) as folder:
        made = Path(folder) / "answers"
        opened.kind.answer(opened.estimator, Question(str(data), str(made), to, None, False, True))
        packed = shutil.make_archive(str(Path(folder) / "packed"), "zip", made)
        return Path(packed).replace(model.with_name("answers.zip"))
