"""`elsewhere inspect`: what a model file holds."""

from typing import TYPE_CHECKING, Any

from elsewhere.cli.model import open_model
from elsewhere.cli.options import AsJson, Model
from elsewhere.cli.talk import print_json, print_table

if TYPE_CHECKING:
    from elsewhere.estimators import DomainCounterfactual
    from elsewhere.estimators.image_domain_counterfactual import ImageDomainCounterfactual


def inspect(model: Model, as_json: AsJson = False) -> None:
    """Show what a model holds: domains, columns and their links, k, mixing, likelihood, notes."""
    from elsewhere.estimators import DomainCounterfactual

    estimator = open_model(model)
    of_a_table = isinstance(estimator, DomainCounterfactual)
    found = summary_of(estimator) if of_a_table else image_summary_of(estimator)
    summary: dict[str, Any] = {"model": str(model)} | found
    if as_json:
        print_json(summary)
        return
    single = [(name, _text(value)) for name, value in summary.items() if name not in _TABLES]
    print_table(str(model), ["", ""], single)
    if of_a_table:
        print_table("columns", ["column", "modelled as"], list(summary["columns"].items()))
        fits = [(c["description"], f"{c['log_likelihood']:.4f}") for c in summary["candidates"]]
        print_table("equally good models", ["model", "nats a row"], fits)


_TABLES = ("columns", "candidates")


def summary_of(estimator: "DomainCounterfactual") -> dict[str, Any]:
    """What there is to know of a fitted model of a table, in plain values."""
    result, space = estimator.result_, estimator.space_
    return {
        "domain_column": estimator.domain_name_,
        "domains": list(estimator.domains_),
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


def image_summary_of(estimator: "ImageDomainCounterfactual") -> dict[str, Any]:
    """What there is to know of a fitted model of images, in plain values."""
    height, width, channels = estimator.shape_
    return {
        "domains": list(estimator.domains_),
        "height": height,
        "width": width,
        "channels": channels,
        "m": estimator.m,
        "k": estimator.k if estimator.variant in ("can", "identity") else estimator.variant,
        "colours": estimator.colours,
        "size": estimator.size,
        "seed": estimator.random_state,
        "notes": list(estimator.notes_),
    }


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, dict):
        return "  ".join(f"{name}: {_text(v)}" for name, v in value.items())
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)
