"""Dense contains every fit that lets fewer mechanisms differ, and is never less likely."""

from collections.abc import Iterable
from dataclasses import replace

from elsewhere.fitting.engine import FitResult


def likeliest(results: Iterable[FitResult]) -> FitResult:
    """The one of highest held-out log-likelihood."""
    return max(results, key=lambda result: result.log_likelihood)


def dense_at_least(dense: FitResult, others: Iterable[FitResult]) -> FitResult:
    """`dense`, or where one of its sub-models is likelier on held-out rows, that one as Dense."""
    best = likeliest([dense, *others])
    if best is dense:
        return dense
    note = (
        f"Dense: the fit with k = {best.k}, which Dense contains, is likelier on held-out rows by "
        f"{best.log_likelihood - dense.log_likelihood:.3f} nats per row, and stands in for it."
    )
    return replace(best, k=None, notes=(*best.notes, note))
