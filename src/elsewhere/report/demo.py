"""The main job end to end on a simulated truth: fit, ask, compare, report."""

import time
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np
from jaxtyping import Float
from rich.table import Table

from elsewhere.baselines import BASELINES, counterfactuals
from elsewhere.datasets import DomainData, simulate, simulated_truth
from elsewhere.escaping import Html
from elsewhere.evaluation import counterfactual_error
from elsewhere.fitting import FitResult, fit
from elsewhere.fitting.read_back import ild_of
from elsewhere.model import ILD
from elsewhere.queries import move_all
from elsewhere.report.answer_pictures import arrows_figure, columns_figure, error_figure
from elsewhere.report.blocks import heading, paragraph, picture, table
from elsewhere.report.canonical_steps import canonical_steps_figure
from elsewhere.report.page import write_page
from elsewhere.report.theory_pictures import sharing_figure
from elsewhere.terminal import console, one_bar
from elsewhere.terminal import table as terminal_table
from elsewhere.theory import canonical_form, counterfactual_distance, intervention_set

NAMES = ("Ash", "Birch", "Cedar")
OURS, TITLE = "elsewhere", "Had it come from elsewhere?"
_M, _INTERVENED, _ROWS = 6, (4, 5), 20_000
_COMPARED = ("identity", "mean_variance", "quantile", "combat", "gaussian_ot")

HEADER = ["method", "error", "of doing nothing"]
Pairs = Float[np.ndarray, "D D n m"]


@dataclass(frozen=True)
class Outcome:
    """What the demo found: the data, the fit, every method's answers and their errors."""

    data: DomainData
    result: FitResult
    answers: dict[str, Pairs]
    errors: dict[str, float]
    seconds: float


def run_demo(out: Path, seed: int = 0) -> Outcome:
    """Simulate three clinics, fit, ask, compare with the baselines; a table and a report."""
    out.mkdir(parents=True, exist_ok=True)  # what cannot be written is said before the work
    data = _simulated(seed)
    start = time.perf_counter()
    with one_bar("fit") as progress:
        result = fit(
            jax.random.key(seed), _by_name(data), k="auto", engine="leaky", progress=progress
        )
    seconds = time.perf_counter() - start
    answers = {OURS: np.asarray(move_all(result.model, data.test))} | _baseline_answers(data)
    truth = np.asarray(data.counterfactuals)
    errors = {name: counterfactual_error(answer, truth) for name, answer in answers.items()}
    outcome = Outcome(data, result, answers, errors, seconds)
    console().print(_terminal_table(outcome))
    page = write_report(out, outcome)
    console().print(f"Report: {page}")
    return outcome


def write_report(out: Path, outcome: Outcome) -> Path:
    """The demo's page, with everything it shows inside."""
    lead = "Three simulated clinics, six measurements, no patient seen twice."
    body = [
        heading(TITLE, 1),
        paragraph(lead, "lead"),
        *_question(outcome),
        *_answer(outcome),
        *_equally_good(outcome),
        *_theory(outcome),
    ]
    return write_page(out / "report.html", TITLE, body)


def _simulated(seed: int) -> DomainData:
    truth_key, data_key = jax.random.split(jax.random.key(seed))
    truth = simulated_truth(truth_key, _M, len(NAMES), _INTERVENED)
    return simulate(data_key, ILD(truth.mixing, truth.scms, NAMES), train=_ROWS)


def _by_name(data: DomainData) -> dict[Hashable, np.ndarray]:
    return dict(zip(NAMES, np.asarray(data.train), strict=True))


def _baseline_answers(data: DomainData) -> dict[str, Pairs]:
    fitted = {name: BASELINES[name]().fit(_by_name(data)) for name in _COMPARED}
    return {name: counterfactuals(one, np.asarray(data.test)) for name, one in fitted.items()}


def _rows(outcome: Outcome) -> list[list[str]]:
    nothing = outcome.errors["identity"]
    ranked = sorted(outcome.errors.items(), key=lambda item: item[1])
    return [[name, f"{error:.5f}", f"{100 * error / nothing:.2f} %"] for name, error in ranked]


def _terminal_table(outcome: Outcome) -> Table:
    title = (
        f"Counterfactual error, all pairs (k = {outcome.result.k} found, fit in "
        f"{outcome.seconds:.0f} s)"
    )
    return terminal_table(title, HEADER, _rows(outcome), numbers_from=1)


def _question(outcome: Outcome) -> list[Html]:
    data = outcome.data
    moved = outcome.answers[OURS][0, 1]
    text = (
        f"Each of {', '.join(NAMES)} sent {data.train.shape[1]:,} rows of {_M} measurements. "
        f"What would {NAMES[0]}'s patients look like, had they gone to {NAMES[1]}?"
    )
    figure = columns_figure(np.asarray(data.test), moved, NAMES, 0, 1)
    shown = picture(figure, "Before, there, and moved there.")
    return [heading("The question"), paragraph(text), shown]


def _answer(outcome: Outcome) -> list[Html]:
    rows = _rows(outcome)
    best = [row[0] for row in rows].index(OURS)
    sample = slice(0, 40)
    shown = {name: outcome.answers[name][0, 1, sample] for name in (OURS, "gaussian_ot", "combat")}
    true = np.asarray(outcome.data.counterfactuals)[0, 1, sample]
    arrows = arrows_figure(true, shown, np.asarray(outcome.data.test[1]))
    text = (
        "The data are simulated, so the true counterfactual of every row is known: the same noise, "
        "the other clinic's mechanisms. The error is the mean over ordered pairs of clinics of the "
        "mean squared error per coordinate."
    )
    errors = error_figure(outcome.errors, OURS)
    return [
        heading("The answer, against the truth"),
        paragraph(text),
        table([HEADER, *rows], best=best),
        picture(errors, "Every method's error, on a logarithmic axis."),
        picture(arrows, "From the true counterfactual (dot) to the estimated one (arrow's tip)."),
    ]


def _equally_good(outcome: Outcome) -> list[Html]:
    result, truth = outcome.result, np.asarray(outcome.data.counterfactuals)
    header = ["candidate", "held-out log-likelihood", "error"]
    answers = [np.asarray(move_all(c.model, outcome.data.test)) for c in result.candidates]
    scored = zip(result.candidates, answers, strict=True)
    rows = [
        [c.description, f"{c.log_likelihood:.4f}", f"{counterfactual_error(a, truth):.5f}"]
        for c, a in scored
    ]
    text = (
        f"{len(rows)} model(s) explain the data equally well: within {result.tolerance:.4f} nats "
        f"per row of the best. Preferred is the first: {result.principle}"
    )
    texts = [paragraph(words) for words in (text, *result.notes)]
    return [heading("Equally good fits"), *texts, table([header, *rows], best=0)]


def _theory(outcome: Outcome) -> list[Html]:
    truth, model = outcome.data.truth, ild_of(outcome.result.model)
    form = canonical_form(model)
    distance = counterfactual_distance(jax.random.key(0), truth, model)
    texts = [
        "Mechanisms that differ between clinics, counted from 0, in the truth: "
        f"{_set(truth)}; in the fit: "
        f"{_set(model)}; in its canonical form: {sorted(form.intervened)}.",
        f"Counterfactual distance d_C between truth and fit: {distance.value:.4f} "
        f"(standard error {distance.standard_error:.4f}).",
    ]
    sharing = sharing_figure(_M, outcome.result.k or _M)
    steps = canonical_steps_figure(form, jax.random.key(1))
    return [
        heading("The theory, on this fit"),
        *map(paragraph, texts),
        picture(sharing, "What the clinics share in each kind of model."),
        picture(steps, "The fit, brought to canonical form."),
    ]


def _set(model: ILD) -> list[int]:
    return sorted(intervention_set(model, tolerance=1e-4).indices)
