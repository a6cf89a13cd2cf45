"""What the commands do with tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax

from elsewhere.cli.answers import write_answers
from elsewhere.cli.kinds import Kind, Listing, Question
from elsewhere.cli.options import read_k, words
from elsewhere.cli.output import progress_bar
from elsewhere.cli.tables import read_known, read_labelled
from elsewhere.estimators import DomainCounterfactual


class TableKind(Kind):
    """Tables with a column of domains."""

    names_data = True

    def fit(self, data: str, out: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Fit to a CSV, Parquet or Feather file."""
        domain, columns = asked.get("domain"), asked.get("columns")
        if domain is None:
            raise ValueError(
                "--domain must name the column that says where a row came from, for "
                f"{data} is no folder of images."
            )
        settings = {"mixing": asked.get("mixing") or "auto", "k": read_k(asked["k"])}
        settings |= {"links": _read_links(asked.get("links") or "auto")}
        X, labels, carried = read_labelled(
            data,
            domain,
            words(columns) if columns else None,
            words(asked.get("na") or ""),
            drop=_drops(asked.get("missing") or "refuse"),
        )
        estimator = DomainCounterfactual(**settings, random_state=asked["seed"])
        with progress_bar() as progress:
            estimator.fit(X, labels, progress=progress)
        estimator.save(out)
        counts = labels.value_counts().to_dict()
        rows = {str(d): int(counts[d]) for d in estimator.domains_}
        summary = {"model": str(out), "rows": rows, "carried": carried} | self.summary(estimator)
        return summary, _sentence(summary)

    def load(self, path: Path, header: Mapping[str, Any]) -> DomainCounterfactual:
        """The estimator, computed with in the precision it was fitted in."""
        if header.get("float64"):
            jax.config.update("jax_enable_x64", True)
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
            "columns": {str(name): str(link) for name, link in estimator.links_.items()},
            "constant": [str(name) for name in space.columns.carried],
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
        head = ["explanation", "", "what speaks for it"]
        return {
            "considered": Listing("what may differ between domains", head, considered),
            "columns": Listing("columns", ["column", "modelled as"], columns),
            "candidates": Listing("equally good models", ["model", "nats per row"], fits),
        }

    def answer(
        self, estimator: DomainCounterfactual, asked: Question
    ) -> tuple[dict[str, Any], str]:
        """A table of answers."""
        where = asked.data, asked.out, asked.to, asked.source, asked.spread, asked.interval
        written = write_answers(estimator, *where)
        return written, f"{written['rows_written']} rows"

    def read(
        self, estimator: DomainCounterfactual, data: str, source: str | None
    ) -> tuple[Any, Any]:
        """The columns of the model, and the domain of every row."""
        return read_known(estimator, data, source)

    def checks(self, invariants: str, planted: bool) -> dict[str, Any]:
        """What must not change, and whether to plant a truth."""
        return {"invariants": words(invariants) or None, "planted": planted}


def _read_links(text: str) -> Any:
    """A kind for all columns, or a=kind,b=bounded:low:high."""
    if "=" not in text:
        return text
    parts = [part.rpartition("=") for part in words(text)]
    return {name: _spec(name, kind) for name, _, kind in parts}


def _spec(name: str, text: str) -> Any:
    kind, *bounds = text.split(":")
    if not bounds:
        return kind
    try:
        low, high = map(float, bounds)
    except ValueError:
        raise ValueError(f"--links must be like {name}=bounded:0:1; got {name}={text!r}.") from None
    return kind, low, high


def _drops(missing: str) -> bool:
    if missing not in ("refuse", "drop"):
        raise ValueError(f"--missing must be refuse or drop; got {missing!r}.")
    return missing == "drop"


def _sentence(summary: Mapping[str, Any]) -> str:
    total = sum(summary["rows"].values())
    return (
        f"{summary['model']}: {total} rows of {len(summary['rows'])} domains, "
        f"{len(summary['columns'])} columns, {summary['mixing']} mixing, k = {summary['k']}, "
        f"{len(summary['candidates'])} equally good model(s)"
    )
