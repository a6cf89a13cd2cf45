"""Every method of the simulated experiments on one data set, scored alike."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, cast

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from elsewhere.baselines import BASELINES, counterfactuals
from elsewhere.datasets import DomainData, simulate, simulated_truth
from elsewhere.datasets.simulated import KINKED
from elsewhere.evaluation import counterfactual_error, normalised_error
from elsewhere.experiments.cells import Setting
from elsewhere.fitting import Engine, FitResult, Flow, K, Profile, Pseudo, fit_each
from elsewhere.fitting.paper import fit_paper_many
from elsewhere.fitting.pseudo import OnTheSurface, PseudoILD
from elsewhere.movers import Density, Mover
from elsewhere.queries import move_all
from elsewhere.theory import intervention_set

Answer = Float[np.ndarray, "D D n m"]
Row = dict[str, Any]
T = TypeVar("T")


class Method(NamedTuple):
    """A method by its name and, for a model, its k and its kind: couplings of a flow, latents."""

    name: str
    k: int | Literal["auto"] | None = None
    couplings: int = 0
    latent: int = 0

    @property
    def file(self) -> str:
        """A name of its own, for a file."""
        flow = f"_flow{self.couplings}" if self.couplings else ""
        coder = f"_latent{self.latent}" if self.latent else ""
        return f"{self.name}{self.k or ''}{flow}{coder}"


FITS, RECIPES = ("can", "dense", "auto"), ("recipe_can", "recipe_dense")


class Drawn(NamedTuple):
    """A data set, the columns that describe it, and the key for fits."""

    data: DomainData
    columns: Row
    key: jax.Array


def draw(setting: Setting, seed: int, rows: int) -> Drawn:
    """The truth and its data; a seed determines both, and the fits' randomness."""
    truth_key, data_key, fit_key = jax.random.split(jax.random.key(seed), 3)
    s = setting
    truth = simulated_truth(
        truth_key, s.m, s.num_domains, s.intervened, bias=s.bias, mixing=s.mixing
    )
    data = simulate(data_key, truth, train=rows)
    columns = setting.columns() | {
        "seed": seed,
        "rows": rows,
        "true_size": len(intervention_set(truth)),
        "true_log_likelihood": held_out_log_likelihood(truth, data),
    }
    return Drawn(data, columns, fit_key)


def run_methods(
    setting: Setting, seed: int, rows: int, methods: Collection[Method]
) -> Iterator[tuple[Method, Row]]:
    """A tidy row for each method but the recipe: errors, likelihoods, seconds.

    All fits of one data set share the search for the axes, and its time.
    """
    drawn = draw(setting, seed, rows)
    data = drawn.data
    fits = [method for method in methods if method.name in FITS]
    timed = _timed(lambda: _fit_each(drawn, fits)) if fits else ({}, 0.0)
    for method in fits:
        scores = _scored(timed[0][method], data) | {"seconds": timed[1] / len(fits)}
        yield method, drawn.columns | {"method": method.name} | scores
    for method in methods:
        if method.name in BASELINES:
            answer, seconds = _timed(lambda name=method.name: _baseline(data, name))
            scores = _scores(answer, data) | {"seconds": seconds}
            yield method, drawn.columns | {"method": method.name} | scores


def run_recipes(
    setting: Setting, seeds: Sequence[int], rows: int, method: Method
) -> Iterator[tuple[int, Row]]:
    """A tidy row per seed for the paper's recipe, all seeds in one compiled program."""
    drawn = [draw(setting, seed, rows) for seed in seeds]
    train = np.stack([np.asarray(d.data.train) for d in drawn])
    valid = np.stack([np.asarray(d.data.valid) for d in drawn])
    keys, k = jnp.stack([d.key for d in drawn]), cast("int | None", method.k)
    fits, seconds = _timed(lambda: fit_paper_many(keys, train, valid, k))
    for seed, d, result in zip(seeds, drawn, fits, strict=True):
        scores = _fitted(result, d.data) | {"seconds": seconds / len(seeds)}
        yield seed, d.columns | {"method": method.name} | scores


def held_out_log_likelihood(model: Density, data: DomainData) -> float:
    """mean over d of mean log p_d on the validation rows, exact, in nats per row."""
    pairs = zip(model.domains, data.valid, strict=True)
    return float(np.mean([model.log_density(rows, d=d).mean() for d, rows in pairs]))


def _fit_each(drawn: Drawn, methods: Sequence[Method]) -> dict[Method, FitResult]:
    """Every fit; those that differ in k alone share the search, or the Dense flow."""
    found: dict[Method, FitResult] = {}
    for kind in dict.fromkeys((method.couplings, method.latent) for method in methods):
        mine = [method for method in methods if (method.couplings, method.latent) == kind]
        results = _fit_kind(drawn, [method.k for method in mine], *kind)
        found |= {method: results[method.k] for method in mine}
    return found


def _fit_kind(drawn: Drawn, ks: Sequence[K], couplings: int, latent: int) -> Mapping[K, FitResult]:
    train, valid = np.asarray(drawn.data.train), np.asarray(drawn.data.valid)
    engine = _engine(drawn.columns["mixing"] in KINKED, couplings, latent)
    return fit_each(drawn.key, train, ks=ks, engine=engine, valid=valid)


def _engine(kinked: bool, couplings: int, latent: int) -> Engine:
    """A rectifier in the model just where the truth has one."""
    if latent:
        return Pseudo(latent)
    if couplings:
        return Flow(couplings=couplings, slope=0.5 if kinked else 1.0)
    return Profile("leaky" if kinked else "linear")


def _scored(result: FitResult, data: DomainData) -> Row:
    if not result.is_bound:
        return _fitted(result, data)
    answer = np.asarray(move_all(result.model, data.test))
    known = {
        "k_used": result.k,
        "log_likelihood": result.log_likelihood,
        "notes": " ".join(result.notes),
    }
    return _scores(answer, data) | known | _without_residual(result.model, data)


def _without_residual(model: Mover, data: DomainData) -> Row:
    """The error of answers that lie on the surface that a decoder draws."""
    if not isinstance(model, PseudoILD):
        return {}
    answer = np.asarray(move_all(OnTheSurface(model), data.test))
    return {"error_without_residual": _scores(answer, data)["error"]}


def _fitted(result: FitResult, data: DomainData) -> Row:
    return _scores(np.asarray(move_all(result.model, data.test)), data) | {
        "k_used": result.k,
        "log_likelihood": held_out_log_likelihood(cast(Density, result.model), data),
        "candidates": len(result.candidates),
        "coverage": _coverage(result, data),
        "notes": " ".join(result.notes),
    }


def _coverage(result: FitResult, data: DomainData) -> float:
    """How often the true counterfactual lies in the span of the candidates, widened by 0.05 sd."""
    answers = np.stack([np.asarray(move_all(c.model, data.test)) for c in result.candidates])
    slack = 0.05 * np.asarray(data.test).std(axis=(0, 1))
    truth = np.asarray(data.counterfactuals)
    inside = (truth >= answers.min(0) - slack) & (truth <= answers.max(0) + slack)
    off_diagonal = ~np.eye(len(truth), dtype=bool)
    return float(inside[off_diagonal].mean())


def _baseline(data: DomainData, name: str) -> Answer:
    return counterfactuals(BASELINES[name]().fit(np.asarray(data.train)), np.asarray(data.test))


def _scores(answer: Answer, data: DomainData) -> Row:
    truth = np.asarray(data.counterfactuals)
    return {
        "error": counterfactual_error(answer, truth),
        "normalised_error": normalised_error(answer, truth, np.asarray(data.test)),
    }


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start
