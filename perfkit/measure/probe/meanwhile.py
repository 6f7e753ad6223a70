"""Background threads that run while a point is measured, and the user's commands they start."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Meanwhile(ABC):
    """A background thread for the length of a ``with`` block: leaving the block stops and joins it.

    ``patience_s`` is how long leaving the block waits for the thread.
    """

    def __init__(self, patience_s: float):
        self.ended = threading.Event()
        self._patience_s = patience_s
        self._thread = threading.Thread(
            target=self.work, name=f"perfkit-{type(self).__name__.lower()}", daemon=True
        )

    def __enter__(self) -> Self:
        self.began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.ended.set()
        self._thread.join(timeout=self._patience_s)

    @property
    def passed_s(self) -> float:
        """Seconds since the block began."""
        return time.monotonic() - self.began

    @abstractmethod
    def work(self) -> None:
        """What the thread does; it raises nothing, and returns soon after ``ended`` is set."""


def printed(command: str, timeout_s: float) -> tuple[str, str]:
    """What a command of the user's prints, and why it failed: empty where it did not.

    A command that takes longer is ended with all that it started.
    """
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        text, words = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "", f"took longer than {timeout_s:g} s"
    if process.returncode:
        said = next((line for line in words.splitlines() if line.strip()), "")
        return text, f"exit code {process.returncode}{f': {said.strip()}' if said else ''}"
    return text, ""
