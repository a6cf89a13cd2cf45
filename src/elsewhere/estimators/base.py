"""What estimators of tables and of images share: the question, samples, labels and the file."""

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from jaxtyping import Float

from elsewhere import __version__
from elsewhere.checkout import commit
from elsewhere.estimators.labels import EVERY, Codes
from elsewhere.saving import read_model, reading, write_model
from elsewhere.scikit_learn import is_for_later

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator
else:

    class BaseEstimator:
        """In the place of scikit-learn's, until the first estimator is made, or asked for more."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """As scikit-learn has it, which is loaded for that."""
            _derive_from_sklearn()
            return self.get_params(deep)


Header = dict[str, Any]
Estimator = TypeVar("Estimator", bound="CounterfactualEstimator")
RandomState = int | np.random.RandomState | None


class CounterfactualEstimator(BaseEstimator):
    """Fit once, ask about any sample; one file, whose header says which kind of estimator it is.

    Attributes:
        domains_: the names of the domains.
        notes_: warnings about the fit, in plain words; empty when there are none.
    """

    kinds: ClassVar[dict[str, type["CounterfactualEstimator"]]] = {}
    of: ClassVar[str] = "any kind"
    domains_: tuple[Any, ...]
    random_state: RandomState

    def __init_subclass__(cls, *, saved: bool = True) -> None:
        super().__init_subclass__()
        if saved:
            CounterfactualEstimator.kinds[cls.__name__] = cls

    def __new__(cls, *given: Any, **named: Any) -> Any:
        """An estimator of scikit-learn, which is loaded here, or later where that was asked for."""
        if not is_for_later():
            _derive_from_sklearn()
        return super().__new__(cls)

    def counterfactual(self, X: Any, source: Any, target: Any, **given: Any) -> Any:
        """x_{d→d'} of every sample, of the kind of X; where d' = d it stays as it is.

        Args:
            X: samples like those fitted.
            source: the domain they come from: one label, or one per sample.
            target: the domain to move them to, likewise; "all" gives a dictionary with an answer
                for every domain.
            given: for tables `covariates`, one row per row of X, where the fit has kept any; and
                `fill`, whether missing entries are filled.
        """
        self._check_fitted()
        if isinstance(target, str) and target == EVERY:
            return {d: self._counterfactual(X, source, d, **given) for d in self.domains_}
        return self._counterfactual(X, source, target, **given)

    def sample(
        self, n: int, *, domain: Hashable, random_state: RandomState = None, **given: Any
    ) -> Any:
        """n new samples of a domain, of the kind that was fitted; for tables with `covariates`."""
        self._check_fitted()
        code = int(self._codes("domain", domain, 1)[0])
        from sklearn.utils import check_random_state

        rng = check_random_state(self.random_state if random_state is None else random_state)
        return self._made(rng.standard_normal((n, self._noise_dimension())), code, **given)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the fitted estimator to one file, whole or not at all.

        Its header names the version and, where the package runs from a checkout, the commit.
        """
        self._check_fitted()
        header, arrays = self._describe()
        made_by = {"kind": type(self).__name__, "made_by": f"elsewhere {__version__}"}
        made_by |= {"commit": commit()} if commit() else {}
        write_model(Path(path), made_by | header, arrays, self._check_file)
        return Path(path)

    @classmethod
    def load(cls: type[Estimator], path: str | PathLike[str]) -> Estimator:
        """The estimator that `save` wrote: it answers bit for bit the same on the same machine.

        The file is data only: nothing in it is executed, and one that is cut short, edited or of a
        newer format is refused.
        """
        header, arrays = read_model(Path(path))
        with reading(Path(path)):
            kind = cls.kinds.get(header["kind"])
            if kind is None or not issubclass(kind, cls):
                raise ValueError(f"it holds no model of {cls.of}; its kind is {header['kind']!r}.")
            settings, fitted = kind._restore(header, arrays)
            estimator = kind(**settings)
        vars(estimator).update(fitted)
        return estimator

    def _check_fitted(self) -> None:
        if any(name.endswith("_") and not name.startswith("__") for name in vars(self)):
            return
        from sklearn.utils.validation import check_is_fitted

        _derive_from_sklearn()
        check_is_fitted(self)

    @abstractmethod
    def _counterfactual(self, X: Any, source: Any, target: Any, **given: Any) -> Any:
        """The answer for one target per sample."""

    @abstractmethod
    def _codes(self, name: str, labels: Any, n: int) -> Codes:
        """The position of every sample's domain in `domains_`."""

    @abstractmethod
    def _noise_dimension(self) -> int:
        """How many numbers of noise make one sample."""

    @abstractmethod
    def _made(self, eps: Float[np.ndarray, "n m"], code: int, **given: Any) -> Any:
        """The samples that the noise makes in the domain at that position."""

    @abstractmethod
    def _describe(self) -> tuple[Header, list[np.ndarray]]:
        """What a file must hold: plain JSON, and arrays."""

    @classmethod
    @abstractmethod
    def _check_file(cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
        """Raise ValueError where these make no estimator; none is built."""

    @classmethod
    @abstractmethod
    def _restore(
        cls, header: Mapping[str, Any], arrays: Sequence[np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """(constructor's arguments, fitted attributes) from what `_describe` returned."""


def _derive_from_sklearn() -> None:
    """Make scikit-learn's BaseEstimator the base of every estimator, once."""
    import sklearn.base

    if CounterfactualEstimator.__bases__ != (sklearn.base.BaseEstimator,):
        CounterfactualEstimator.__bases__ = (sklearn.base.BaseEstimator,)
        for cls in CounterfactualEstimator.kinds.values():  # whose methods it has not seen yet
            super(CounterfactualEstimator, cls).__init_subclass__()


def validated(estimator: Any, X: Any, *, reset: bool) -> Float[np.ndarray, "n p"]:
    """The values of X in float64, its columns those of the fit, as scikit-learn checks them.

    Where it is for later, rows of a DataFrame in which it could find no fault do without it.
    """
    if is_for_later() and _is_plain(X):
        names = np.asarray(X.columns, object)
        if reset:
            estimator.feature_names_in_, estimator.n_features_in_ = names, len(names)
        if np.array_equal(getattr(estimator, "feature_names_in_", ()), names):
            return np.asarray(X, np.float64)
    from sklearn.utils.validation import validate_data

    _derive_from_sklearn()
    checks: Any = {"dtype": np.float64, "ensure_all_finite": False}
    values: Any = validate_data(estimator, X, reset=reset, **checks)
    return values


def _is_plain(X: Any) -> bool:
    """Whether it is a DataFrame with rows and columns that have names, of NumPy's own numbers."""
    return (
        hasattr(X, "iloc")
        and min(X.shape) > 0
        and all(isinstance(name, str) for name in X.columns)
        and all(isinstance(kind, np.dtype) and kind.kind in "iufb" for kind in X.dtypes)
    )


def seed_from(random_state: RandomState) -> int:
    """A seed: drawn from that of the user, or anew."""
    if isinstance(random_state, int):
        return int(np.random.RandomState(random_state).randint(2**31 - 1))
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))


def seed_of(random_state: Any) -> int | None:
    """A seed as a file can hold it; None where there was none to keep."""
    return int(random_state) if isinstance(random_state, int | np.integer) else None
