"""Dense contains every fit that lets fewer mechanisms differ, and is never clearly less likely."""

from collections.abc import Iterable
from dataclasses import replace

from elsewhere.fitting.result import FitResult

EQUAL = 0.01  # nats per row: two descents of one model end as far apart, so that less says nothing


def likeliest(results: Iterable[FitResult]) -> FitResult:
    """The one of highest held-out log-likelihood."""
    return max(results, key=lambda result: result.log_likelihood)


def ahead_of(dense: FitResult, others: Iterable[FitResult]) -> FitResult | None:
    """The likeliest of the sub-models of `dense`, if it is ahead of it by over 0.01 nats per row.

    A smaller lead is no sign that Dense failed to fit, and its own answer stands: with that of a
    sparser model in its place, the comparison of the two would say nothing.
    """
    best = likeliest([dense, *others])
    return best if best.log_likelihood > dense.log_likelihood + EQUAL else None


def dense_at_least(dense: FitResult, others: Iterable[FitResult]) -> FitResult:
    """`dense`, or where a sub-model is ahead of it on held-out rows, that one as Dense."""
    best = ahead_of(dense, others)
    if best is None:
        return dense
    note = (
        f"Dense: the fit with k = {best.k}, which Dense contains, is likelier on held-out rows by "
        f"{best.log_likelihood - dense.log_likelihood:.3f} nats per row, and stands in for it."
    )
    return replace(best, k=None, notes=(*best.notes, note))
