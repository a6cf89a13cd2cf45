"""Pictures and pages. Each name is imported on first use: matplotlib loads only where one draws."""

from typing import TYPE_CHECKING

from elsewhere.lazy import lazily

if TYPE_CHECKING:
    from elsewhere.report.bound_growth import bound_growth_figure
    from elsewhere.report.by_kind import write_report
    from elsewhere.report.canonical_steps import canonical_steps_figure
    from elsewhere.report.style import save
    from elsewhere.report.theory_pictures import intervention_story_figure, sharing_figure

_HOME = {
    "save": "style",
    "bound_growth_figure": "bound_growth",
    "canonical_steps_figure": "canonical_steps",
    "intervention_story_figure": "theory_pictures",
    "sharing_figure": "theory_pictures",
    "write_report": "by_kind",
}

__all__ = [
    "bound_growth_figure",
    "canonical_steps_figure",
    "intervention_story_figure",
    "save",
    "sharing_figure",
    "write_report",
]

__getattr__ = lazily("elsewhere.report", _HOME)
