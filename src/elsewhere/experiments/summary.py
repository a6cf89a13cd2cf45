"""From tidy rows to the tables of an experiment."""

from typing import cast

import pandas as pd

from elsewhere.experiments.cells import EXPERIMENTS

METHODS = (
    "can",
    "auto",
    "dense",
    "recipe_can",
    "recipe_dense",
    "entropic_ot",
    "gaussian_ot",
    "combat",
    "mean_variance",
    "identity",
)
WHERE = {"bias": "data", "num_domains": "domains", "m": "m", "couplings": "couplings", "at": ""}


def summarise(frame: pd.DataFrame, value: str = "error") -> pd.DataFrame:
    """Mean, standard error and median by cell and method, in the cells' order."""
    grouped = frame.groupby([*WHERE, "method"], sort=False)[value]
    table = grouped.agg(["mean", "sem", "median", "count"]).reset_index()
    return table.sort_values(["bias", "couplings", "m", "num_domains"], kind="stable")


def methods_in(frame: pd.DataFrame) -> list[str]:
    """The methods that a table has, in the order in which they are shown."""
    found = list(dict.fromkeys(frame["method"]))
    return [n for n in METHODS if n in found] + [n for n in found if n not in METHODS]


def markdown(experiment: str, frame: pd.DataFrame) -> str:
    """The table of mean ± standard error, a line per cell and a column per method.

    Beside the cell stands how many mechanisms of its truths differ between the domains.
    """
    table, columns = summarise(frame), places(frame)
    sizes = frame.groupby(columns, sort=False)["true_size"].agg(_range)
    methods = methods_in(table)
    lines = _header([*_where(experiment, columns), "|I| of the truths", *methods])
    for where, cell in table.groupby(columns, sort=False):
        place, by_method = cast(tuple, where), cell.set_index("method")
        entries = [*map(str, place), sizes[place], *(_entry(by_method, name) for name in methods)]
        lines.append("| " + " | ".join(entries) + " |")
    return "\n".join(lines)


def by_seed(experiment: str, frame: pd.DataFrame) -> str:
    """The error of every method on every data set, a line per data set, the least in bold.

    Beside them, where Can is among them: how many nats per row it is below the truth, and how often
    the true counterfactual lies within its spread.
    """
    index = [*places(frame), "seed"]
    wide = frame.pivot_table(index=index, columns="method", values="error", sort=False)
    can = _of_can(frame).set_index(index)
    methods = methods_in(frame)
    lines = _header([*_where(experiment, places(frame)), "seed", *methods, *can.columns])
    for where, values in wide.iterrows():
        numbers = [f"{values[name]:.2g}" for name in methods]
        least = values[methods].argmin()
        numbers[least] = f"**{numbers[least]}**"
        told = [f"{number:.3g}" for number in can.loc[where]] if len(can) else []
        lines.append("| " + " | ".join([*map(str, cast(tuple, where)), *numbers, *told]) + " |")
    return "\n".join(lines)


def _of_can(frame: pd.DataFrame) -> pd.DataFrame:
    """The data sets, and what Can's fits say of themselves there, if there are any."""
    rows, told = frame[frame["method"] == "can"], {}
    if len(rows):
        told = {"nats short": rows["true_log_likelihood"] - rows["log_likelihood"]}
        told |= {"inside": rows["coverage"]} if "coverage" in rows else {}
    return pd.DataFrame({name: rows[name] for name in [*places(frame), "seed"]} | told)


def places(frame: pd.DataFrame) -> list[str]:
    """The columns that distinguish the cells; couplings only where there are flows."""
    return [name for name in WHERE if name == "at" or not _needless(frame, name)]


def _needless(frame: pd.DataFrame, name: str) -> bool:
    """Whether the axis says the same, or there are no flows."""
    values = frame[name]
    flat = name == "couplings" and (values == 0).to_numpy().all()
    return bool(flat or (values.astype(str) == frame["at"]).to_numpy().all())


def _where(experiment: str, columns: list[str]) -> list[str]:
    axis = EXPERIMENTS[experiment].axis.replace("|", "\\|")
    return [WHERE[name] or axis for name in columns]


def _header(names: list[str]) -> list[str]:
    names = [name.replace("|I|", "\\|I\\|") for name in names]
    return ["| " + " | ".join(names) + " |", "|---" * len(names) + "|"]


def _range(sizes: pd.Series) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return str(low) if low == high else f"{low}–{high}"


def _entry(by_method: pd.DataFrame, name: str) -> str:
    if name not in by_method.index:
        return ""
    mean, sem = by_method.at[name, "mean"], by_method.at[name, "sem"]
    return f"{mean:.2g}" if pd.isna(sem) else f"{mean:.2g} ± {sem:.1g}"  # one seed has no error
