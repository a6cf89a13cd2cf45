"""Reasons to trust a counterfactual, or not to, computed on the user's own data.

Each name is imported on first use: a page that only shows verdicts loads neither JAX nor models.
"""

from typing import TYPE_CHECKING

from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.trust.by_kind import trust_report
    from elsewhere.trust.case import Case
    from elsewhere.trust.checks import CHECKS, register_check
    from elsewhere.trust.images import ImageTrust, image_trust
    from elsewhere.trust.intervals import CounterfactualIntervals, calibrated_intervals
    from elsewhere.trust.judgement import Judgement
    from elsewhere.trust.tables import Trust, table_trust

__all__ = [
    "CHECKS",
    "Case",
    "CounterfactualIntervals",
    "ImageTrust",
    "Judgement",
    "Trust",
    "calibrated_intervals",
    "image_trust",
    "register_check",
    "table_trust",
    "trust_report",
]

__getattr__ = lazily(
    __name__,
    {
        "CHECKS": "checks",
        "Case": "case",
        "CounterfactualIntervals": "intervals",
        "ImageTrust": "images",
        "Judgement": "judgement",
        "Trust": "tables",
        "calibrated_intervals": "intervals",
        "image_trust": "images",
        "register_check": "checks",
        "table_trust": "tables",
        "trust_report": "by_kind",
    },
)
