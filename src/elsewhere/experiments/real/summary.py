"""From rows of results to the table of a real data set."""

from math import isnan
from typing import Any, cast

import pandas as pd

from elsewhere.experiments.real.methods import METHODS


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Errors, a line per split and a column per method that answered on all of them."""
    table = frame.pivot(index="seed", columns="method", values="error")
    answered = set(table.dropna(axis="columns").columns)
    order = [name for name in METHODS if name in answered]
    return cast(pd.DataFrame, table[order])


def best_baseline(errors: pd.DataFrame) -> str:
    """The baseline with the least mean error."""
    return min(_of_kind(errors, "baseline"), key=lambda name: errors[name].mean())


def summarise(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """By method, best first: mean, std, rank, won, ratio, seconds and note.

    Mean and standard deviation are over splits. Ranks and wins are among the methods that see no
    pairs; the ratio is to the best baseline. Methods without an answer stand last, with the reason.
    """
    errors = wide(frame)
    ranks = errors[_of_kind(errors, "ours", "baseline", "peer")].rank(axis=1)
    means = errors.mean()
    table = pd.DataFrame(
        {
            "mean": means,
            "std": errors.std(),
            "rank": ranks.mean(),
            "won": (ranks == 1).sum(),
            "ratio": means / means[best_baseline(errors)],
            "seconds": frame.groupby("method")["seconds"].median(),
        }
    )
    notes = {name: _reason(frame, name) for name in set(frame["method"])}
    lines = table.reindex([n for n in METHODS if n in notes]).sort_values("mean", kind="stable")
    found = cast(dict[str, dict[str, Any]], lines.to_dict("index"))
    return {name: line | {"note": notes[name]} for name, line in found.items()}


def markdown(frame: pd.DataFrame) -> str:
    """The table, best first; methods without an answer stand last, with the reason."""
    head = "| method | error | ÷ best baseline | mean rank | splits won | seconds per split |"
    lines = [_line(name, line) for name, line in summarise(frame).items()]
    return "\n".join([head, "|---" * 6 + "|", *lines])


def by_split(frame: pd.DataFrame) -> str:
    """Every error, a line per split, the least of those that see no pairs in bold."""
    errors = wide(frame)
    lines = ["| split | " + " | ".join(METHODS[str(n)].label for n in errors) + " |"]
    lines.append("|---" * (1 + errors.shape[1]) + "|")
    blind = _of_kind(errors, "ours", "baseline", "peer")
    for seed, row in errors.to_dict("index").items():
        least = min(blind, key=row.__getitem__)
        cells = [f"**{v:.3g}**" if n == least else f"{v:.3g}" for n, v in row.items()]
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def verdict(frame: pd.DataFrame) -> str:
    """Where `elsewhere` stands against the best baseline, split by split."""
    errors = wide(frame)
    best = best_baseline(errors)
    lowest = f"The best baseline is {METHODS[best].label} ({errors[best].mean():.3g})."
    if "elsewhere" in errors:
        ahead = sum(errors["elsewhere"] < errors[best])
        ratio = errors["elsewhere"].mean() / errors[best].mean()
        return (
            f"{lowest} `elsewhere` has {ratio:.2f} of its error, and is ahead of it on {ahead} of "
            f"{len(errors)} splits."
        )
    splits = frame["method"].tolist().count("elsewhere")
    if splits == 0:
        return f"{lowest} `elsewhere` was not run."
    silent = frame.loc[frame["method"] == "elsewhere", "error"].isna().tolist().count(True)
    count = f"{silent} of {splits} splits"
    return f"{lowest} `elsewhere` gave no answer on {count} ({_reason(frame, 'elsewhere')})."


def _of_kind(errors: pd.DataFrame, *kinds: str) -> list[str]:
    return [str(name) for name in errors if METHODS[str(name)].kind in kinds]


def _line(name: str, line: dict[str, Any]) -> str:
    label, kind = METHODS[name].label, METHODS[name].kind
    label = f"*{label}*" if kind == "reference" else f"**{label}**" if kind == "ours" else label
    if isnan(line["mean"]):
        return f"| {label} | {line['note'].replace('|', '/')} | | | | |"
    error = f"{line['mean']:.3g}" + ("" if isnan(line["std"]) else f" ± {line['std']:.2g}")
    place = ["", ""] if isnan(line["rank"]) else [f"{line['rank']:.1f}", f"{line['won']:.0f}"]
    cells = [label, error, f"{line['ratio']:.2f}", *place, f"{line['seconds']:.2g}"]
    return "| " + " | ".join(cells) + " |"


def _reason(frame: pd.DataFrame, method: str) -> str:
    """The first note that says why a method has no answer, or nothing."""
    notes = frame.loc[frame["method"] == method, "note"].tolist()
    return next((str(note) for note in notes if note), "")
