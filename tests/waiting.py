"""Waiting for what another process does."""

import time
from collections.abc import Callable


def wait_for(condition: Callable[[], object]) -> None:
    """Until it holds; the time limit of every test (pyproject.toml) ends what waits in vain.

    A limit of its own would fail where the machine is busy.
    """
    while not condition():
        time.sleep(0.02)
