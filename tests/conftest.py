"""Settings for all tests."""

from __future__ import annotations

import logging
import os

from hypothesis import HealthCheck, settings

# Shared machines are slow at random: a test fails for what it finds, never for how long it took.
# The check of a submission draws the same examples every time; at a desk they differ.
settings.register_profile(
    "perfkit",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("perfkit")


def refuse(warning: logging.LogRecord) -> bool:
    """At a user's desk the report is made all the same; ours give Typst nothing to warn of."""
    raise AssertionError(f"Typst warns: {warning.getMessage()}")


logging.getLogger("perfkit.typeset").addFilter(refuse)
