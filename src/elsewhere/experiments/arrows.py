"""S9: where the counterfactuals went, and where they should have gone."""

from collections.abc import Mapping
from pathlib import Path

import jax
import numpy as np
from matplotlib.figure import Figure

from elsewhere.baselines import GaussianOT, counterfactuals
from elsewhere.datasets import DomainData
from elsewhere.experiments.cells import Setting
from elsewhere.experiments.methods import Answer, draw
from elsewhere.experiments.provenance import provenance
from elsewhere.experiments.results import write_made_by
from elsewhere.fitting import fit, fit_each
from elsewhere.queries import move_all
from elsewhere.report.answer_pictures import arrows_figure
from elsewhere.report.style import save

SETTING = Setting(6, 3, (4, 5), "sparse")
SHOWN = 40


def draw_arrows(out: Path, *, seed: int, rows: int, recipe: bool, command: str) -> list[Path]:
    """A figure for each pair d → d': arrows from true to estimated counterfactuals, by method."""
    drawn = draw(SETTING, seed, rows)
    train, valid = np.asarray(drawn.data.train), np.asarray(drawn.data.valid)
    fits = fit_each(
        drawn.key, train, ks=[len(SETTING.intervened), None], engine="leaky", valid=valid
    )
    models = {"ILD-Can": fits[2].model, "ILD-Dense": fits[None].model}
    if recipe:
        key = jax.random.fold_in(drawn.key, 1)
        fitted = fit(key, train, k=2, engine="paper", valid=valid)
        models["ILD-Can, the paper's recipe"] = fitted.model
    answers = {name: np.asarray(move_all(model, drawn.data.test)) for name, model in models.items()}
    answers["Gaussian OT"] = counterfactuals(GaussianOT().fit(train), np.asarray(drawn.data.test))
    write_made_by(out, provenance(command, [seed]))
    return [
        save(_figure(drawn.data, answers, d, e), out / f"from-{d}-to-{e}.png")
        for d in range(SETTING.num_domains)
        for e in range(SETTING.num_domains)
        if d != e
    ]


def _figure(data: DomainData, answers: Mapping[str, Answer], d: int, e: int) -> Figure:
    true, cloud = np.asarray(data.counterfactuals[d, e]), np.asarray(data.test[e])
    shown = {name: answer[d, e, :SHOWN] for name, answer in answers.items()}
    return arrows_figure(true[:SHOWN], shown, cloud)
