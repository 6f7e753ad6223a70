"""A Dask cluster as an executor: the work of a batch goes there, a summary comes back."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, InvalidStateError
from typing import Any

from perfkit.core.errors import MissingPartError, UsageError

PATIENCE = "10s"
"""How long a scheduler may take to answer."""

_LOOK_S = 0.5


@contextlib.contextmanager
def executor(address: str) -> Iterator[Executor]:
    """The cluster at an address, such as ``tcp://10.0.0.5:8786``.

    Its workers need perfkit, and the paths of evidence and store.

    Raises MissingPartError without dask.distributed, UsageError where no scheduler answers.
    """
    try:
        import distributed
    except ImportError as problem:
        raise MissingPartError(
            "--dask needs dask.distributed: pip install 'perfkit[dask]'"
        ) from problem
    connect: Any = distributed.Client
    try:
        client = connect(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        raise UsageError(f"--dask {address}: no scheduler answers: {problem}") from problem
    with client, _Cluster(client) as found:
        yield found


class _Cluster(Executor):
    """Dask's own executor, whose futures also end when the scheduler is gone.

    Those of Dask (2026.8) wait for ever then; found with a scheduler that was killed.
    """

    def __init__(self, client: Any):
        self._client = client
        self._inner = client.get_executor(pure=False)
        self._open: set[Future[Any]] = set()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **options: Any) -> Future[Any]:
        """Send work to the cluster; BrokenExecutor where its scheduler is gone."""
        if self._client.status != "running":
            raise BrokenExecutor("the scheduler is gone")
        future: Future[Any] = self._inner.submit(work, *args, **options)
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the watching; the cluster itself goes on."""
        self._ended.set()
        self._watcher.join()
        if self._client.status == "running":
            self._inner.shutdown(wait=wait and not cancel_futures)

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            if self._client.status in {"closing", "closed"}:
                for future in list(self._open):
                    with contextlib.suppress(InvalidStateError):
                        future.set_exception(BrokenExecutor("the scheduler is gone"))
