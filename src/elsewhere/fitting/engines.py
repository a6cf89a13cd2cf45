"""The door to fitting: engines by name, and one function for all of them."""

from collections.abc import Sequence
from dataclasses import is_dataclass
from importlib import import_module
from typing import NamedTuple

from elsewhere.arrays import Key
from elsewhere.draws import as_key
from elsewhere.fitting.engine import Engine, K
from elsewhere.fitting.ladder import Auto
from elsewhere.fitting.moments import Crossed, Moments
from elsewhere.fitting.pairs import Pairs
from elsewhere.fitting.profile.options import DEFAULT
from elsewhere.fitting.progress import Progress
from elsewhere.fitting.result import FitResult
from elsewhere.fitting.run import split_and_fit
from elsewhere.fitting.split import Data, Split
from elsewhere.fitting.units import Units
from elsewhere.fitting.whole import Wholes


class Unloaded(NamedTuple):
    """An engine that loads JAX, before anyone asks for it."""

    package: str
    cls: str
    mixing: str | None = None

    def loaded(self) -> Engine:
        """The engine with its default options."""
        cls = getattr(import_module(f"elsewhere.fitting.{self.package}"), self.cls)
        return cls() if self.mixing is None else cls(self.mixing)


_ENGINES: dict[str, Engine | Unloaded] = {
    "auto": Auto(),
    "moments": Moments(),
    "crossed": Crossed(),
    "linear": Unloaded("profile", "Profile", "linear"),
    "leaky": Unloaded("profile", "Profile", "leaky"),
    "curved": Unloaded("curved", "Curved"),
    "layered": Unloaded("layered", "Layered"),
    "real_nvp": Unloaded("flow", "Flow", "real_nvp"),
    "spline": Unloaded("flow", "Flow", "spline"),
    "gradient": Unloaded("gradient", "Gradient"),
    "pseudo": Unloaded("pseudo", "Pseudo"),
    "paper": Unloaded("paper", "Paper"),
}


def engine_names() -> tuple[str, ...]:
    """The names of all engines."""
    return tuple(_ENGINES)


def names_by_class() -> dict[str, str]:
    """{the name of an engine's class: the name of the last engine of that class}."""
    found = _ENGINES.items()
    return {e.cls if isinstance(e, Unloaded) else type(e).__name__: name for name, e in found}


def registered_engines() -> dict[str, Engine]:
    """Every engine by name, with its default options."""
    return {name: engine_named(name) for name in _ENGINES}


def register(name: str, engine: Engine) -> None:
    """Let `engine` be called by that name, here and in the estimators; its fields are the defaults.

    >>> from elsewhere.fitting import Profile, engine_named, register
    >>> register("slightly_bent", Profile("leaky", slope=0.9))
    >>> engine_named("slightly_bent").slope
    0.9
    """
    if not isinstance(engine, Engine) or not is_dataclass(engine):
        raise TypeError(f"engine must be a dataclass derived from Engine; got {engine!r}.")
    if name in _ENGINES and engine_named(name) != engine:
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
    found = _ENGINES[engine]
    if isinstance(found, Unloaded):
        found = _ENGINES[engine] = found.loaded()
    return found


def fit(
    key: Key,
    data: Data,
    *,
    k: K,
    engine: str | Engine = "auto",
    valid: Data | None = None,
    pairs: Pairs | Sequence[Pairs] = (),
    progress: Progress | None = None,
    units: Units | None = None,
    wholes: Wholes | None = None,
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
        units: what 1 and 0 of each column are, where that is known. The moments then look for an
            offset that all columns have in common, and for columns that are multiplied.
        wholes: number, mean and scatter of all rows of each domain, where `data` are a sample of
            them; not with `pairs`.
    """
    chosen = _for_pairs(engine_named(engine)) if pairs else engine_named(engine)
    found, rows = split_and_fit(chosen, key, data, [k], valid, progress, units, wholes)
    return _refined(key, found[k], rows, pairs, chosen) if pairs else found[k]


def fit_each(
    key: Key,
    data: Data,
    *,
    ks: Sequence[K],
    engine: str | Engine = "auto",
    valid: Data | None = None,
    progress: Progress | None = None,
    units: Units | None = None,
    wholes: Wholes | None = None,
) -> dict[K, FitResult]:
    """`fit` for several k at once, which share what does not depend on k."""
    given = (valid, progress, units, wholes)
    return split_and_fit(engine_named(engine), key, data, ks, *given)[0]


def _for_pairs(engine: Engine) -> Engine:
    """The engine, kept from models that pairs cannot refine."""
    found = engine.for_pairs()
    if found is None:
        names = [name for name, known in registered_engines().items() if known.for_pairs()]
        raise ValueError(f"pairs need one of the engines {names}; got {type(engine).__name__}.")
    return found


def _refined(
    key: Key, result: FitResult, rows: Split, pairs: Pairs | Sequence[Pairs], engine: Engine
) -> FitResult:
    """The result, refined by pairs on the same rows."""
    import jax

    from elsewhere.fitting.refine import refine_with_pairs

    refining, options = jax.random.fold_in(as_key(key), 1), getattr(engine, "options", DEFAULT)
    train, held = rows.train, rows.held
    return refine_with_pairs(refining, result, train, pairs, valid=held, options=options)
