"""What the commands do with tables."""

from collections.abc import Hashable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.cli.answers import write_answers
from elsewhere.cli.crossed import in_columns
from elsewhere.cli.kept_columns import kept_columns, kept_like
from elsewhere.cli.kinds import Kind, Listing, Question
from elsewhere.cli.labels import check_labels
from elsewhere.cli.many_answers import write_many
from elsewhere.cli.new_domains import add_domains
from elsewhere.cli.options import words
from elsewhere.cli.other_answers import answering
from elsewhere.cli.output import progress_bar
from elsewhere.cli.paired_files import read_pairs
from elsewhere.cli.table_options import read_missing, table_settings
from elsewhere.cli.table_to_fit import Labelled, columns_with_levels, read_labelled
from elsewhere.cli.tables import read_to_judge
from elsewhere.covariates.left_out import in_words, left_out
from elsewhere.datasets.many_files import is_many
from elsewhere.estimators import DomainCounterfactual
from elsewhere.estimators.kept_covariates import rest_of
from elsewhere.estimators.sums import sums_in_words
from elsewhere.precision import compute_in_64_bit

MOST_ROWS = 200_000  # of each domain, from many files


class TableKind(Kind):
    """Tables with a column of domains."""

    names_data = True

    def fit(self, data: str, out: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Fit to a CSV, Parquet or Feather file."""
        settings = table_settings(data, asked)
        table = _to_fit(data, asked, settings)
        check_labels(table.labels.unique())
        estimator = DomainCounterfactual(**settings, random_state=asked["seed"])
        if asked.get("dry_run"):
            return _planned(estimator, table)
        given = _beside_rows(table, asked, settings)
        with progress_bar() as progress:
            estimator.fit(table.X, in_columns(table.labels), progress=progress, **given)
        estimator.missing_text_ = tuple(words(asked.get("na") or ""))
        estimator.save(out)
        summary = {"model": str(out), "rows": _rows_of(estimator, table), "carried": table.carried}
        summary |= self.summary(estimator)
        summary["notes"] += [note for note in (table.note, _case_mix(estimator, table)) if note]
        return summary, _sentence(summary)

    def load(self, path: Path, header: Mapping[str, Any]) -> DomainCounterfactual:
        """The estimator, computed with in the precision it was fitted in."""
        if header.get("float64"):
            compute_in_64_bit()
        return DomainCounterfactual.load(path)

    def summary(self, estimator: DomainCounterfactual) -> dict[str, Any]:
        """Domains, columns and their links, k, mixing, likelihood, notes."""
        result, space = estimator.result_, estimator.space_
        return {
            "domain_column": estimator.domain_name_,
            "domains": list(estimator.domains_),
            "difference": estimator.difference_,
            "considered": [
                {"explanation": e.name, "used": e.used, "words": e.words}
                for e in result.explanations
            ],
            "columns": {str(name): str(link) for name, link in estimator.links_.items()}
            | sums_in_words(space.columns.sums),
            "constant": [str(name) for name in space.columns.carried],
            "kept": kept_columns(estimator),
            "mixing": estimator.mixing_,
            "k": "dense" if result.k is None else result.k,
            "log_likelihood": result.log_likelihood,
            "standard_error": result.standard_error,
            "candidates": [
                {"description": c.description, "log_likelihood": c.log_likelihood}
                for c in result.candidates
            ],
            "path": {str(p.k): p.log_likelihood for p in result.path},
            "seed": estimator.random_state,
            "notes": list(estimator.notes_),
        }

    def listings(self, summary: Mapping[str, Any]) -> dict[str, Listing]:
        """What was considered, the columns, and the equally good models."""
        considered = [
            (c["explanation"], "used" if c["used"] else "not used", c["words"])
            for c in summary["considered"]
        ]
        columns = list(summary["columns"].items())
        fits = [(c["description"], f"{c['log_likelihood']:.4f}") for c in summary["candidates"]]
        head = ["explanation", "", "evidence"]
        return {
            "considered": Listing("what may differ between domains", head, considered),
            "columns": Listing("columns", ["column", "modelled as"], columns),
            "kept": Listing("kept", ["covariate", "enters"], list(summary["kept"].items())),
            "candidates": Listing("equally good models", ["model", "log-likelihood per row"], fits),
        }

    def answer(
        self, estimator: DomainCounterfactual, asked: Question
    ) -> tuple[dict[str, Any], str]:
        """A table of answers."""
        write = write_many if is_many(asked.data) else write_answers
        written = write(answering(estimator, asked), asked)
        return written, f"{written['rows_written']} rows"

    def add(
        self, estimator: DomainCounterfactual, data: str, source: str | None
    ) -> Mapping[Hashable, int]:
        """The domains that the column of domains, or --from, names and the model does not know."""
        return add_domains(estimator, data, source)

    def read(
        self, estimator: DomainCounterfactual, data: str, source: str | None
    ) -> tuple[Any, Any, dict[str, Any]]:
        """The columns of the model, the domain of every row, its covariates and what is beside."""
        X, labels, given, beside = read_to_judge(estimator, data, source)
        return X, labels, given | {"beside": {"beside": beside}}

    def checks(self, invariants: str, planted: bool) -> dict[str, Any]:
        """What must not change, and whether to plant a truth."""
        return {"invariants": words(invariants) or None, "planted": planted}


def _to_fit(data: str, asked: Mapping[str, Any], settings: Mapping[str, Any]) -> Labelled:
    """The table, its columns sorted into those to model, to keep and to carry through."""
    columns = asked.get("columns")
    return read_labelled(
        data,
        asked["domain"],
        words(columns) if columns else None,
        words(asked.get("na") or ""),
        read_missing(asked.get("missing") or "keep"),
        settings["links"],
        keep=words(asked.get("keep") or ""),
        learn_on=asked.get("learn_on"),
        most=asked.get("most_rows") or (MOST_ROWS if is_many(data) else None),
        seed=asked["seed"],
        summed=[n for total, parts in settings["sums"].items() for n in (total, *parts)],
    )


def _beside_rows(
    table: Labelled, asked: Mapping[str, Any], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """What a fit is given beside rows and domains: covariates, pairs, all rows of a sample."""
    given: dict[str, Any] = {"covariates": table.kept, "learn_on": table.learn_on}
    if asked.get("carried") is not None:
        given["carried"] = asked["carried"]
    if asked.get("pairs"):
        return given | {"pairs": _pairs(asked["pairs"], table, settings)}
    return given if table.whole is None else given | {"whole": table.whole}


def _pairs(path: str, table: Labelled, settings: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Rows seen in two of the table's domains, with its columns."""
    known = str(table.labels.name), [*table.X.columns], table.labels.unique().tolist()
    levels, kept = columns_with_levels(settings["links"]), table.kept
    if kept is None:
        return read_pairs(path, *known, levels)
    return read_pairs(path, *known, levels, [*kept.columns], partial(kept_like, kept))


def _rows_of(estimator: DomainCounterfactual, table: Labelled) -> dict[str, int]:
    counts = table.labels.value_counts().to_dict()
    return {str(d): int(counts[d]) for d in estimator.domains_}


def _case_mix(estimator: DomainCounterfactual, table: Labelled) -> str:
    """What columns that are neither modelled nor kept explain of the difference; or nothing."""
    if table.beside is None or estimator.crossing_ is not None:
        return ""
    beside = table.beside
    if table.learn_on is not None:
        beside = beside.loc[table.learn_on[beside.index - 1]]
    some = table.X.index.get_indexer(beside.index)
    rows, labels = table.X.iloc[some], table.labels.iloc[some]
    kept = None if table.kept is None else table.kept.iloc[some]
    y, codes = estimator.to_link_space(rows), np.unique(labels.astype(str), return_inverse=True)[1]
    if np.isnan(y).any():
        y = estimator.to_link_space(estimator.complete(rows, labels, covariates=kept, zeros=True))
    places = np.array([estimator.domains_.index(label) for label in labels])
    rest = rest_of(estimator.covariates_, y, places, kept)[0]
    words = in_words(left_out(beside, rest, codes), str(labels.name))
    return words and f"{words} If it belongs to the rows, name it in --keep."


def _planned(estimator: DomainCounterfactual, table: Labelled) -> tuple[dict[str, Any], str]:
    """What a fit would do with the columns."""
    space, labels = estimator.plan(table.X, table.labels), table.labels
    kept = [] if table.kept is None else table.kept.columns
    links = zip(space.columns.inside, space.links, strict=True)
    summary = {
        "rows": {str(d): int(n) for d, n in labels.value_counts().to_dict().items()},
        "columns": {str(name): str(link) for name, link in links}
        | sums_in_words(space.columns.sums),
        "constant": [str(name) for name in space.columns.carried],
        "kept": dict.fromkeys(map(str, kept), "covariate"),
        "carried": dict(table.carried),
        "notes": list(space.notes),
    }
    return summary, f"{len(labels)} rows of {len(summary['rows'])} domains; nothing was fitted"


def _sentence(summary: Mapping[str, Any]) -> str:
    total = sum(summary["rows"].values())
    return (
        f"{summary['model']}: {total} rows of {len(summary['rows'])} domains, "
        f"{len(summary['columns'])} columns modelled"
    )
