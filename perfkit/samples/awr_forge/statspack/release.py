"""What all sections of a Statspack report share."""

from __future__ import annotations

RELEASE = "12.1.0.2.0"


END = " " * 10 + "-" * 61


FEED = "\f"
