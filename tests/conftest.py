"""Settings for all tests."""

from __future__ import annotations

import logging
import os
import shutil
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["made_system"]

# A shell starts its background jobs with SIGINT ignored, and children inherit that: the tests of
# Ctrl-C would wait in vain. Children of ours start with the default again.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Shared machines are slow at random: a test fails for what it finds, never for how long it took.
# The check of a submission draws the same examples every time; at a desk they differ.
settings.register_profile(
    "perfkit",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
# The inner loop draws fewer of them (make test-fast); the whole check draws all.
settings.register_profile("fast", settings.get_profile("perfkit"), max_examples=25)
settings.load_profile("perfkit")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first: at the end two workers share many short files."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: -slow[item.path])


@pytest.fixture(scope="session", autouse=True)
def _unpacked_archives_are_removed():
    """At the end of the session: pytest-xdist ends its workers as no exit handler is told of."""
    yield
    from perfkit.core.places import UNPACKED

    for folder in UNPACKED:
        shutil.rmtree(folder, ignore_errors=True)


def refuse(warning: logging.LogRecord) -> bool:
    """At a user's desk the report is made all the same; ours give Typst nothing to warn of."""
    raise AssertionError(f"Typst warns: {warning.getMessage()}")


logging.getLogger("perfkit.typeset").addFilter(refuse)
