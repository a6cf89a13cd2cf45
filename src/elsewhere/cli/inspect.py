"""`elsewhere inspect`: what a model file holds."""

from typing import Any

from elsewhere.cli.kinds import open_model
from elsewhere.cli.options import AsJson, Model
from elsewhere.cli.output import in_words, print_json, print_table


def inspect(model: Model, as_json: AsJson = False) -> None:
    """Show what a model file holds: version, domains, columns, k, mixing, likelihood, notes."""
    opened = open_model(model)
    summary: dict[str, Any] = {"model": str(model), **opened.made_by}
    summary |= opened.kind.summary(opened.estimator)
    if as_json:
        print_json(summary)
        return
    listings = opened.kind.listings(summary)
    single = [(name, in_words(value)) for name, value in summary.items() if name not in listings]
    print_table(str(model), ["", ""], single)
    for listing in listings.values():
        if listing.rows:
            print_table(*listing)
