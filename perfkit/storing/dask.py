"""A Dask cluster as an executor: the work of a batch goes there, a summary comes back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

from perfkit.core.errors import MissingPartError, UsageError

PATIENCE = "10s"


@contextlib.contextmanager
def executor(address: str) -> Iterator[Executor]:
    """The cluster at an address, such as ``tcp://10.0.0.5:8786``.

    Its workers need perfkit, and the paths of evidence and store.

    Raises MissingPartError without dask.distributed, UsageError where no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError as problem:
        raise MissingPartError(
            "--dask needs dask.distributed: pip install 'perfkit[dask]'"
        ) from problem
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise UsageError(f"--dask {address}: no scheduler answers: {problem}") from problem
    with client, client.get_executor(pure=False) as found:
        yield found
