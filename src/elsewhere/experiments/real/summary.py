"""From rows of results to the table of a real data set."""

import pandas as pd

from elsewhere.experiments.real.methods import METHODS


def wide(frame: pd.DataFrame) -> pd.DataFrame:
    """Errors, a line per split and a column per method that answered on all of them."""
    table = frame.pivot(index="seed", columns="method", values="error")
    order = [name for name in METHODS if name in table]
    return table[order].dropna(axis="columns")


def best_baseline(errors: pd.DataFrame) -> str:
    """The baseline with the least mean error."""
    means = errors[[name for name in errors if METHODS[str(name)].kind == "baseline"]].mean()
    return str(means.idxmin())


def summarise(frame: pd.DataFrame) -> pd.DataFrame:
    """Per method: mean and standard deviation over splits, mean rank, splits won, ratio, note.

    Ranks and wins are among the methods that see no pairs; the ratio is to the best baseline.
    """
    errors = wide(frame)
    ranks = errors[[n for n in errors if METHODS[str(n)].kind != "reference"]].rank(axis=1)
    table = pd.DataFrame(
        {
            "mean": errors.mean(),
            "std": errors.std(),
            "rank": ranks.mean(),
            "won": (ranks == 1).sum(),
            "ratio": errors.mean() / errors[best_baseline(errors)].mean(),
        }
    )
    notes = frame.groupby("method")["note"].agg(_worst)
    present = [name for name in METHODS if name in notes.index]
    return table.reindex(present).assign(note=notes[present]).sort_values("mean", kind="stable")


def markdown(frame: pd.DataFrame) -> str:
    """The table, best first; methods without an answer stand last, with the reason."""
    head = "| method | error | ÷ best baseline | mean rank | splits won | seconds per split |"
    seconds = frame.groupby("method")["seconds"].median()
    lines = [head, "|---" * 6 + "|"]
    for name, row in summarise(frame).iterrows():
        label = METHODS[str(name)].label
        if METHODS[str(name)].kind == "reference":
            label = f"*{label}*"
        elif name == "elsewhere":
            label = f"**{label}**"
        if pd.isna(row["mean"]):
            lines.append(f"| {label} | {row['note'].replace('|', '/')} | | | | |")
            continue
        error = f"{row['mean']:.3g}" + ("" if pd.isna(row["std"]) else f" ± {row['std']:.2g}")
        place = ["", ""] if pd.isna(row["rank"]) else [f"{row['rank']:.1f}", f"{row['won']:.0f}"]
        cells = [label, error, f"{row['ratio']:.2f}", *place, f"{seconds[name]:.2g}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def by_split(frame: pd.DataFrame) -> str:
    """Every error, a line per split, the least of those that see no pairs in bold."""
    errors = wide(frame)
    lines = ["| split | " + " | ".join(METHODS[str(n)].label for n in errors) + " |"]
    lines.append("|---" * (1 + errors.shape[1]) + "|")
    blind = [n for n in errors if METHODS[str(n)].kind != "reference"]
    for seed, row in errors.iterrows():
        least = row[blind].idxmin()
        cells = [f"**{v:.3g}**" if n == least else f"{v:.3g}" for n, v in row.items()]
        lines.append(f"| {seed} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def verdict(frame: pd.DataFrame) -> str:
    """A sentence: where `elsewhere` stands against the best baseline, split by split."""
    errors = wide(frame)
    best = best_baseline(errors)
    lowest = f"The best baseline is {METHODS[best].label} ({errors[best].mean():.3g})."
    ours = frame[frame["method"] == "elsewhere"]
    if "elsewhere" in errors:
        ahead = int((errors["elsewhere"] < errors[best]).sum())
        ratio = errors["elsewhere"].mean() / errors[best].mean()
        return (
            f"{lowest} `elsewhere` has {ratio:.2f} of its error, and is ahead of it on {ahead} of "
            f"{len(errors)} splits."
        )
    if len(ours) == 0:
        return f"{lowest} `elsewhere` was not run."
    refused = ours[ours["error"].isna()]
    count = f"{len(refused)} of {len(ours)} splits"
    return f"{lowest} `elsewhere` gave no answer on {count} ({refused['note'].iloc[0]})."


def _worst(notes: pd.Series) -> str:
    """The first note that says why there is no answer, or nothing."""
    told = [note for note in notes if isinstance(note, str) and note]
    return told[0] if told else ""
