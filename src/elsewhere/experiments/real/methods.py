"""What is compared on real tables: `elsewhere`, baselines, other packages, what sees pairs."""

import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import Any, Literal

import numpy as np

from elsewhere.baselines import BASELINES, Baseline
from elsewhere.experiments.real import peers, references
from elsewhere.experiments.real.split import Answer, PairedSplit

Kind = Literal["ours", "baseline", "peer", "reference"]
Solver = Callable[[PairedSplit], Answer]


@dataclass(frozen=True)
class RealMethod:
    """A way to answer, and where it can be run.

    Args:
        label: its name in tables.
        kind: "ours", "baseline", "peer" (another package as it is) or "reference" (sees pairs).
        solve: from a split to x̂_{d→d'}.
        package: the module it needs, if it is no dependency.
        columns: the most columns it is run with.
        ordered: whether it needs columns in an order.
    """

    label: str
    kind: Kind
    solve: Solver
    package: str | None = None
    columns: int | None = None
    ordered: bool = False

    def why_not(self, split: PairedSplit) -> str | None:
        """Why the method is not run on this data set, or None."""
        p = len(split.data.columns)
        if self.package and find_spec(self.package) is None:
            return f"not run: {self.package} is not installed"
        if self.columns is not None and p > self.columns:
            return f"not run: its {p:,} × {p:,} matrices take too long"
        if self.ordered and not split.ordered:
            return "not run: needs columns in an order, such as wavelengths"
        return None


def run(name: str, split: PairedSplit) -> dict[str, Any]:
    """One row of results: the error, or a note that says why there is none."""
    method = METHODS[name]
    row: dict[str, Any] = {"method": name, "seed": split.seed, "error": np.nan, "seconds": np.nan}
    if note := method.why_not(split):
        return row | {"note": note}
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(), redirect_stdout(StringIO()):
            warnings.simplefilter("ignore")  # other packages' remarks are not results
            row["error"] = split.error(method.solve(split))
    except Exception as error:  # a method that refuses is a result, too
        text = " ".join(str(error).split()) or type(error).__name__
        return row | {"note": f"refused: {text}"}
    return row | {"seconds": time.perf_counter() - start, "note": ""}


def _baseline(baseline: Baseline) -> Solver:
    def solve(split: PairedSplit) -> Answer:
        tables = split.tables
        fitted = baseline.fit(tables)
        return lambda d, e: fitted.move(tables[d], d=d, d_prime=e)

    return solve


def _elsewhere(split: PairedSplit) -> Answer:
    """The default of the public estimator, through its public methods."""
    from elsewhere.estimators import DomainCounterfactual

    tables, names = split.tables, split.data.domains
    labels = np.repeat(names, [len(table) for table in tables])
    fitted = DomainCounterfactual().fit(np.concatenate(tables), labels)
    return lambda d, e: np.asarray(
        fitted.counterfactual(tables[d], source=names[d], target=names[e])
    )


_LABELS = {
    "identity": "doing nothing",
    "mean_shift": "mean shift",
    "mean_variance": "mean and variance",
    "quantile": "quantiles",
    "combat": "ComBat",
    "gaussian_ot": "Gaussian OT",
    "entropic_ot": "entropic OT",
}
_WIDE = 1_000  # columns beyond which packages with p × p matrices take hours for ten splits
_SLOW = 100  # the same for a barycentre, found by iterations

METHODS: dict[str, RealMethod] = {
    "elsewhere": RealMethod("elsewhere", "ours", _elsewhere),
    **{
        name: RealMethod(
            label,
            "baseline",
            _baseline(BASELINES[name]()),
            "ott" if name == "entropic_ot" else None,
        )
        for name, label in _LABELS.items()
    },
    "inmoose": RealMethod("inmoose pycombat", "peer", peers.inmoose, "inmoose"),
    "pot_linear": RealMethod("POT LinearTransport", "peer", peers.pot_linear, "ot", _WIDE),
    "skada_monge": RealMethod(
        "skada MultiLinearMongeAlignment", "peer", peers.skada_monge, "skada", _SLOW
    ),
    "ds": RealMethod(
        "direct standardisation, half the pairs", "reference", references.direct, "chemotools"
    ),
    "pds": RealMethod(
        "piecewise direct standardisation, half the pairs",
        "reference",
        references.piecewise,
        "chemotools",
        ordered=True,
    ),
    "ridge": RealMethod("ridge, half the pairs", "reference", references.ridge),
}


def asked(names: tuple[str, ...]) -> list[str]:
    """These methods, or all of them; doing nothing, which costs nothing, where no baseline is."""
    if wrong := [name for name in names if name not in METHODS]:
        raise ValueError(f"--models must be among {', '.join(METHODS)}; got {wrong[0]!r}.")
    compared = any(METHODS[name].kind == "baseline" for name in names)
    return [*names] if compared else ["identity", *names] if names else list(METHODS)
