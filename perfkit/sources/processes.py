"""Work on many files, spread over the processor's cores by processes that end with this one.

Not multiprocessing: its fork may hang under polars' threads, and its spawn runs a caller's script a
second time. A worker is a Python of its own that is given pieces over a pipe and sends results
back; it ends when the pipe closes, so it never outlives the process that asked.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from perfkit.core.anonymise import NOTES_VARIABLE
from perfkit.core.kept import received, send
from perfkit.core.places import UNPACKED

MOST_WORKERS = 3
"""Processes beside the own one: each takes about 100 MiB."""

PIECES_EACH = 12
"""Into how many pieces each process's share is cut: who is quick takes more of them."""

_BOOT = "from perfkit.sources.processes import serve; serve()"


def spread(function: str, items: Sequence[Any], shared: Any, processes: int) -> list[Any]:
    """``module:function(item, shared)`` for every item, in order, by so many processes.

    The own process works as well. What a worker cannot do (an error of the function, a process that
    is killed or does not start) the own process does again: results and errors are those of one
    process, and of several errors the first item's is raised.
    """
    work = _named(function)
    if processes <= 1 or len(items) <= 1 or not sys.executable:
        return [work(item, shared) for item in items]
    pieces = _Pieces(items, processes)
    with contextlib.ExitStack() as stack:
        for _ in range(processes - 1):
            stack.enter_context(_fed_worker(pieces, function, shared))
        for place in pieces:
            try:
                pieces.done[place] = [work(item, shared) for item in pieces.items[place]]
            except Exception:  # noqa: BLE001 - met again below, after those of earlier items
                pieces.stop()
    # a piece without results is one that somebody did not get through
    return [
        result
        for place, own in enumerate(pieces.items)
        for result in pieces.done.get(place) or [work(item, shared) for item in own]
    ]


class _Pieces:
    """Pieces of the work, each taken once, in order, by whoever asks first."""

    def __init__(self, items: Sequence[Any], processes: int):
        size = max(1, -(-len(items) // (processes * PIECES_EACH)))
        self.items = [list(items[start : start + size]) for start in range(0, len(items), size)]
        self.done: dict[int, list[Any]] = {}
        self._next, self._lock = 0, threading.Lock()

    def stop(self) -> None:
        """Nothing more is taken."""
        with self._lock:
            self._next = len(self.items)

    def __iter__(self) -> Iterator[int]:
        while True:
            with self._lock:
                place, self._next = self._next, self._next + 1
            if place >= len(self.items):
                return
            yield place


@contextlib.contextmanager
def _fed_worker(pieces: _Pieces, function: str, shared: Any) -> Iterator[None]:
    """A worker with a thread that gives it pieces; at the end its last piece is waited for."""
    # names that readers meet are noted once, by the process that asked
    env = {name: value for name, value in os.environ.items() if name != NOTES_VARIABLE}
    env["PYTHONPATH"] = os.pathsep.join(place for place in sys.path if place)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
    except OSError:
        yield
        return
    ready = threading.Event()
    feeder = threading.Thread(
        target=_feed, args=(process, pieces, (function, shared, UNPACKED), ready), daemon=True
    )
    feeder.start()
    try:
        yield
        if not ready.is_set():
            process.kill()  # all was done while it started
        feeder.join()
    except BaseException:
        process.kill()
        raise
    finally:
        with contextlib.suppress(OSError):
            process.communicate()


def _feed(
    process: subprocess.Popen[bytes],
    pieces: _Pieces,
    job: tuple[str, Any, dict[Path, Path]],
    ready: threading.Event,
) -> None:
    given, taken = process.stdin, process.stdout
    if given is None or taken is None:
        return
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
        send(given, job)
        received(taken)  # before that it would only hold a piece that others can do
        ready.set()
        for place in pieces:
            send(given, pieces.items[place])
            found = received(taken)
            if found is None:
                pieces.stop()
                return
            pieces.done[place] = found


def serve() -> None:
    """What a worker does: pieces in, results out; None for a piece that it cannot do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is told by the process that asked
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints does not go among the answers
    with contextlib.suppress(EOFError, BrokenPipeError):
        function, shared, unpacked = received(sys.stdin.buffer)
        UNPACKED.update(unpacked)
        work = _named(function)
        send(answers, "ready")
        while True:
            items = received(sys.stdin.buffer)
            try:
                found = [work(item, shared) for item in items]
            except Exception:  # noqa: BLE001 - the process that asked meets it again and tells it
                found = None
            send(answers, found)
    os._exit(0)


def _named(function: str) -> Callable[[Any, Any], Any]:
    module, _, name = function.partition(":")
    found: Callable[[Any, Any], Any] = getattr(importlib.import_module(module), name)
    return found
