"""What perfkit's processes hand each other: values through pipes, and what was read of a file.

A survey of evidence and the notebook of its report read the same files, in two processes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from perfkit.core.recorded_arguments import canonical_json

T = TypeVar("T")

VARIABLE = "PERFKIT_READINGS"
"""Environment variable with the folder of what is kept, for kernels and workers too."""


def send(pipe: IO[bytes], value: Any) -> None:
    """Write a value to a pipe or a file of this program's own."""
    pickle.dump(value, pipe)
    pipe.flush()


def received(pipe: IO[bytes]) -> Any:
    """The next value that ``send`` wrote."""
    return pickle.load(pipe)  # noqa: S301 - the other end is this program's own


@contextlib.contextmanager
def kept_readings() -> Iterator[None]:
    """Within it, what readers give to ``kept`` stays, for the processes started within it too."""
    if VARIABLE in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="perfkit-readings-", ignore_cleanup_errors=True) as own:
        os.environ[VARIABLE] = own
        try:
            yield
        finally:
            del os.environ[VARIABLE]


def kept(file: Path, facts: Sequence[object], make: Callable[[], T]) -> T:
    """What ``make`` reads of a file; within ``kept_readings`` a file of these bytes is read once.

    Args:
        file: The file that is read.
        facts: What else decides what is made: the reader, its version, what was asked for.
        make: Reads the file. What cannot be kept is only read again.
    """
    folder = os.environ.get(VARIABLE)
    if folder is None or not file.is_file():
        return make()
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256")
    digest.update(canonical_json(facts).encode())
    place = Path(folder, digest.hexdigest())
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError), place.open("rb") as data:
        found: T = received(data)
        return found
    made = make()
    with contextlib.suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as whole:
            send(whole, made)
        Path(whole.name).replace(place)
    return made
