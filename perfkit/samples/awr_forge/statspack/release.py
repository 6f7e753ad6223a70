"""What all sections of a Statspack report share."""

from __future__ import annotations

from collections.abc import Callable

from perfkit.samples.awr_forge.content import Content, Instance
from perfkit.samples.awr_forge.sheet import Block

BlockMaker = Callable[[Content, Instance], Block]
"""Makes one section."""

RELEASE = "12.1.0.2.0"


END = " " * 10 + "-" * 61


FEED = "\f"
