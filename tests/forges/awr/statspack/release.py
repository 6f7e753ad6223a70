"""What all sections of a Statspack report share."""

from __future__ import annotations

from collections.abc import Callable

from forges.awr.content import Content, Instance
from forges.awr.sheet import Block

BlockMaker = Callable[[Content, Instance], Block | None]
"""Makes one section; None where the content has nothing of it."""

RELEASE = "12.1.0.2.0"


END = " " * 10 + "-" * 61


FEED = "\f"
