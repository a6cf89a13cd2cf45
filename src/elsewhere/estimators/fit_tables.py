"""One fit in link space, with the mixing chosen where it is left open."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from elsewhere.draws import generator
from elsewhere.fitting import FitResult, Options, Pairs, fit, fit_gradient, refine_with_pairs
from elsewhere.fitting.gradient.choose import row_log_likelihoods
from elsewhere.fitting.profile.likelihood import paired
from elsewhere.fitting.split import hold_out, shuffled

Tables = dict[Hashable, Float[np.ndarray, "_ m"]]
Exact = Literal["linear", "leaky"]
Flow = Literal["real_nvp", "spline"]
Mixing = Literal["auto", "linear", "leaky", "real_nvp", "spline"]
Progress = Callable[[float, str], None]
FLOOR = 0.002  # nats a row by which a leaky mixing must beat a linear one, beside its error


@dataclass(frozen=True)
class Recipe:
    """What the user asked of a fit."""

    k: int | Literal["auto"] | None
    mixing: str
    slope: float
    options: Any
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.mixing not in get_args(Mixing):
            raise ValueError(f"mixing must be one of {get_args(Mixing)}; got {self.mixing!r}.")
        if self.mixing not in get_args(Flow) and not isinstance(self.options, Options | None):
            raise ValueError(
                f"options must be elsewhere.fitting.Options or None for mixing={self.mixing!r}; "
                f"got {self.options!r}. Settings of fit_gradient go with 'real_nvp' or 'spline'."
            )

    def say(self, fraction: float, text: str) -> None:
        """Report progress where it is wanted."""
        if self.progress:
            self.progress(fraction, text)

    @property
    def search(self) -> Options:
        """How hard to search for latent axes."""
        return self.options if isinstance(self.options, Options) else Options()


def fit_tables(
    key: PRNGKeyArray, tables: Tables, recipe: Recipe, pairs: Sequence[Pairs] = ()
) -> tuple[FitResult, str]:
    """(the fit, its mixing). "auto" is linear, unless held-out rows speak for leaky."""
    if recipe.mixing in get_args(Flow):
        if pairs:
            raise ValueError(f"pairs need mixing 'linear' or 'leaky'; got {recipe.mixing!r}.")
        return _by_gradient(key, tables, recipe), recipe.mixing
    splitting, fitting, refining = jax.random.split(key, 3)
    train, held = hold_out(shuffled(generator(splitting), tables))
    result, mixing = _exact(fitting, train, held, recipe)
    if pairs:
        options = recipe.search
        result = refine_with_pairs(refining, result, train, pairs, valid=held, options=options)
    return result, mixing


def _exact(key: PRNGKeyArray, train: Tables, held: Tables, recipe: Recipe) -> tuple[FitResult, str]:
    def run(name: Exact, start: float, end: float) -> FitResult:
        return fit(
            key,
            train,
            k=recipe.k,
            mixing=name,
            slope=recipe.slope,
            valid=held,
            options=recipe.search,
            progress=lambda f, text: recipe.say(start + (end - start) * f, f"{name}: {text}"),
        )

    if recipe.mixing != "auto":
        return run(recipe.mixing, 0.0, 1.0), recipe.mixing  # type: ignore[arg-type]
    linear, leaky = run("linear", 0.0, 0.3), run("leaky", 0.3, 1.0)
    return (leaky, "leaky") if _is_likelier(leaky, linear, held) else (linear, "linear")


def _is_likelier(result: FitResult, simpler: FitResult, held: Tables) -> bool:
    """On held-out rows, by FLOOR + 2 standard errors of the paired difference."""
    gain, error = paired(*(row_log_likelihoods(r.model, held) for r in (result, simpler)))
    return gain > FLOOR + 2 * error


def _by_gradient(key: PRNGKeyArray, tables: Tables, recipe: Recipe) -> FitResult:
    """A flow by gradient steps; k="auto" is read off a leaky fit first."""
    settings = dict(recipe.options) if isinstance(recipe.options, Mapping) else {}
    k, notes = recipe.k, ()
    if k == "auto":
        k = fit(key, tables, k="auto", slope=recipe.slope, options=recipe.search).k
        notes = (f"k = {k} was read off a fit with a leaky mixing.",)
    result = fit_gradient(
        key,
        tables,
        k=k,
        mixing=recipe.mixing,  # type: ignore[arg-type]
        progress=lambda i, n, best: recipe.say(i / n, f"{recipe.mixing}: {best:.3f} nats"),
        **settings,
    )
    return replace(result, notes=(*result.notes, *notes))
