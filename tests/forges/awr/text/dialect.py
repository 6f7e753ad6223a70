"""What differs between text reports, release by release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from forges.awr.content import Content, Instance
from forges.awr.printing import Shown, milli, timed
from forges.awr.sheet import Block

NOT_KNOWN = Shown("N/A")


@dataclass(frozen=True)
class TextDialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 2)


BlockMaker = Callable[[Content, Instance, TextDialect], Block | None]
"""Makes one section; None where the release does not print it."""

TEXT_12 = TextDialect("text-12.1", "12.1.0.2.0", new=False)


TEXT_19 = TextDialect("text-19c", "19.0.0.0.0", new=True)
