"""The door to fitting: engines by name, and one function for all of them."""

from collections.abc import Sequence
from dataclasses import is_dataclass

from jaxtyping import PRNGKeyArray

from elsewhere.fitting.engine import Engine, FitResult, K, Progress
from elsewhere.fitting.flow import Flow
from elsewhere.fitting.gradient import Gradient
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.moments import Moments
from elsewhere.fitting.paper import Paper
from elsewhere.fitting.profile import DEFAULT, Profile
from elsewhere.fitting.pseudo import Pseudo
from elsewhere.fitting.refine import Pairs, refine_with_pairs
from elsewhere.fitting.run import run_engine
from elsewhere.fitting.split import Data, split

_ENGINES: dict[str, Engine] = {
    "auto": Auto(),
    "moments": Moments(),
    "linear": Profile("linear"),
    "leaky": Profile("leaky"),
    "real_nvp": Flow("real_nvp"),
    "spline": Flow("spline"),
    "gradient": Gradient(),
    "pseudo": Pseudo(),
    "paper": Paper(),
}


def registered_engines() -> dict[str, Engine]:
    """Every engine by name, with its default options."""
    return dict(_ENGINES)


def register(name: str, engine: Engine) -> None:
    """Let `engine` be called by that name, here and in the estimators; its fields are the defaults.

    >>> from elsewhere.fitting import Profile, engine_named, register
    >>> register("slightly_bent", Profile("leaky", slope=0.9))
    >>> engine_named("slightly_bent").slope
    0.9
    """
    if not isinstance(engine, Engine) or not is_dataclass(engine):
        raise TypeError(f"engine must be a dataclass derived from Engine; got {engine!r}.")
    if _ENGINES.get(name, engine) != engine:
        raise ValueError(f"name must be new; an engine {name!r} already exists.")
    _ENGINES[name] = engine


def engine_named(engine: str | Engine) -> Engine:
    """The engine of that name; an engine itself is returned as it is."""
    if isinstance(engine, Engine):
        return engine
    if engine not in _ENGINES:
        raise ValueError(
            f"engine must be one of {tuple(_ENGINES)} or an Engine; got {engine!r}. Engines of "
            "your own are added by elsewhere.fitting.register."
        )
    return _ENGINES[engine]


def fit(
    key: PRNGKeyArray,
    data: Data,
    *,
    k: K,
    engine: str | Engine = "auto",
    valid: Data | None = None,
    pairs: Pairs | Sequence[Pairs] = (),
    progress: Progress | None = None,
) -> FitResult:
    """From rows of several domains to the set of equally good models.

    Args:
        key: of everything that is drawn.
        data: a mapping from each domain's name to its rows [n_d, m], or an array [D, n, m].
        k: how many mechanisms may differ between domains; "auto" finds it, None is Dense.
        engine: a name (`python -m elsewhere.fitting` lists them) or an `Engine` with options of
            your own, such as `Profile("leaky", slope=0.3)`.
        valid: rows for the likelihoods reported, like `data`; by default a tenth of the data, at
            most 10,000 rows per domain, is held out for that.
        pairs: rows seen in two domains, which refine what a linear or leaky engine finds. They are
            not added to `data`.
        progress: called with the fraction done and a line of text.
    """
    if not pairs:
        return fit_each(key, data, ks=[k], engine=engine, valid=valid, progress=progress)[k]
    chosen = engine_named(engine)
    rows = split(key, data, valid, chosen.check)
    result = run_engine(chosen, key, rows.train, [k], rows.held, progress)[k]
    options = getattr(chosen, "options", DEFAULT)
    return refine_with_pairs(key, result, rows.train, pairs, valid=rows.held, options=options)


def fit_each(
    key: PRNGKeyArray,
    data: Data,
    *,
    ks: Sequence[K],
    engine: str | Engine = "auto",
    valid: Data | None = None,
    progress: Progress | None = None,
) -> dict[K, FitResult]:
    """`fit` for several k at once, which share what does not depend on k."""
    return run_engine(engine_named(engine), key, data, ks, valid, progress)
