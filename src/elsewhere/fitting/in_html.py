"""A fit as a notebook shows it: what differs, what was considered, and what to beware of."""

from typing import TYPE_CHECKING

from elsewhere.escaping import Html
from elsewhere.fitting.in_words import difference_in_words
from elsewhere.markup import bullets, element, folded, paragraph, table

if TYPE_CHECKING:
    from elsewhere.fitting.result import FitResult

MOST_LISTED = 20  # models that are listed


def result_html(result: "FitResult") -> Html:
    """The difference in words, the explanations considered, the models, and the notes."""
    count = len(result.candidates)
    head = "One model." if count == 1 else f"{count} equally good models, the preferred one first."
    return element("div", [paragraph(head), *found(result), *noted(result.notes)])


def found(result: "FitResult") -> list[Html]:
    """What differs between domains and what was considered, as blocks; models folded away."""
    words = difference_in_words(result)
    said = [element("p", [element("strong", words)])] if words else []
    considered = [
        [one.name, "used" if one.used else "not used", one.words] for one in result.explanations
    ]
    rows = [["explanation considered", "", "evidence"], *considered]
    models = [[c.description, f"{c.log_likelihood:.4g}"] for c in result.candidates[:MOST_LISTED]]
    listed = table([["model", "log-likelihood per held-out row"], *models])
    return [*said, *([table(rows)] if considered else []), folded("Models", listed)]


def noted(notes: tuple[str, ...]) -> list[Html]:
    """The notes as a list, where there are any."""
    return [paragraph("Notes:"), bullets(notes)] if notes else []
