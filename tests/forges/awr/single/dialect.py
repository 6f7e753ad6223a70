"""What differs between the HTML reports of one instance, release by release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from forges.awr.content import Content, Instance
from forges.awr.printing import Shown, milli, timed
from forges.awr.sheet import Sheet


@dataclass(frozen=True)
class Dialect:
    """What differs from release to release."""

    name: str
    release: str
    new: bool
    """12.2 and later: unique name, role, edition; times with their unit; fine histograms."""
    user_logons: bool = False
    pdb: bool = False
    viewer: bool = False
    """21c: who looked, and whether with the system's data (printed in a public 21c head)."""
    newline: str = "\n"

    @property
    def average(self) -> Callable[[Decimal | None], Shown]:
        """How a mean wait is printed."""
        return timed if self.new else lambda seconds: milli(seconds, 0)


SheetMaker = Callable[[Content, Instance, Dialect], Sheet | None]
"""Makes one section; None where the release does not print it."""

HTML_11 = Dialect("html-11.2", "11.2.0.4.0", new=False)


HTML_12 = Dialect("html-12.2", "12.2.0.1.0", new=True, newline="\r\n")


HTML_19 = Dialect("html-19c", "19.0.0.0.0", new=True, user_logons=True)


HTML_21 = Dialect("html-21c", "21.0.0.0.0", new=True, user_logons=True, viewer=True)


HTML_23 = Dialect("html-23ai", "23.0.0.0.0", new=True, user_logons=True, viewer=True)
"""As 21c, but for the advisories of memory, which have other names and columns."""


HTML_PDB = Dialect("html-pdb", "19.0.0.0.0", new=True, user_logons=True, pdb=True)
