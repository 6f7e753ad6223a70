"""What differs between RAC-global reports, release by release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from forges.awr.content import Content
from forges.awr.printing import Shown, milli, timed
from forges.awr.sheet import Sheet


@dataclass(frozen=True)
class RacDialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool
    newline: str = "\n"

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 2)


GlobalMaker = Callable[[Content, RacDialect], Sheet | None]
"""Makes one section; None where the release does not print it."""

RAC_19 = RacDialect("rac-19c", "19.0.0.0.0", new=True, newline="\r\n")


RAC_11 = RacDialect("rac-11.2", "11.2.0.4.0", new=False)
