"""What several verdicts come to, whatever the kind of model."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from elsewhere.trust.decision import Decision, decide
from elsewhere.trust.judgement import Judgement, Level, Shown, plain, worst


class AbstractTrust(ABC):
    """What several verdicts come to; a subclass is a dataclass with all that they rest on."""

    @property
    @abstractmethod
    def verdicts(self) -> dict[str, Judgement]:
        """The verdict of every check that was made, by name."""

    @property
    @abstractmethod
    def titles(self) -> Mapping[str, str]:
        """The heading of every check, by name."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be said beside the verdicts."""
        return ()

    @property
    def tables(self) -> tuple[Shown, ...]:
        """What is to be shown below the verdicts."""
        return ()

    @property
    def parts(self) -> dict[str, Any]:
        """All that the verdicts rest on, as plain data."""
        return plain(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know first, worst first."""
        found = [verdict for verdict in self.verdicts.values() if verdict.warns]
        return tuple(v.words for v in sorted(found, key=lambda v: v.level != "bad"))

    @property
    def level(self) -> Level:
        """The worst of all verdicts."""
        return worst(verdict.level for verdict in self.verdicts.values())

    @property
    def decision(self) -> Decision:
        """Should I use these answers? Yes, with care, or no, and the two reasons that decide."""
        level = self.level
        ordered = sorted(self.verdicts.items(), key=lambda item: item[1].level != level)
        return decide(level, [(self.titles[name], verdict) for name, verdict in ordered])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data that JSON can hold."""
        whole = {"decision": self.decision, "level": self.level, "warnings": self.warnings}
        return plain(whole | {"verdicts": self.verdicts}) | self.parts
