"""The kernel that runs a notebook: started early, over IPC, and never left behind."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from perfkit.core.errors import ReportError
from perfkit.core.files import Json

OPTIONS = (
    "--HistoryManager.hist_file=:memory:",
    "--IPKernelApp.extensions=perfkit.reporting.execute.preload",
)
"""Of an IPython kernel: no history file, and perfkit imported before the first cell."""


@dataclass
class Kernel:
    """A kernel for one notebook.

    Attributes:
        manager: What manages it; None where it could not be started.
        log: What its process says.
        problem: Why it could not be started.
    """

    manager: Any
    log: TextIO
    problem: Exception | None = None
    ending: bool = False

    def running(self) -> Any:
        """What manages the kernel; raises why it could not be started."""
        if self.manager is None:
            raise self.problem or ReportError("the notebook names no kernel")
        return self.manager

    def ask_to_end(self) -> None:
        """Ask the kernel to end; it does so while this process goes on."""
        from jupyter_core.utils import run_sync

        run_sync(self.manager.request_shutdown)()
        self.ending = True

    def end(self, *, now: bool = True) -> None:
        """Wait for its end where it was asked to; else end it now, or interrupt it and wait."""
        from jupyter_core.utils import run_sync

        if self.manager is None or not self.manager.has_kernel:
            return
        if self.ending:
            run_sync(self.manager.finish_shutdown)()
            run_sync(self.manager.cleanup_resources)()
        else:
            run_sync(self.manager.shutdown_kernel)(now=now)


@contextlib.contextmanager
def starting(
    notebook: Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Kernel]:
    """A kernel for the notebook that starts now, in ``cwd``; it ends with this context.

    ``environment`` is added to this process's for the kernel alone. It needs only jupyter_client:
    papermill and nbclient are imported while it starts.
    """
    with (
        tempfile.TemporaryFile("w+") as log,
        tempfile.TemporaryDirectory(prefix="perfkit-kernel-") as own,
    ):
        kernel = _started(_kernel_name(notebook), cwd, log, Path(own), environment or {})
        try:
            yield kernel
        finally:
            kernel.end()


def _started(
    name: str | None, cwd: Path, log: TextIO, own: Path, more: Mapping[str, str]
) -> Kernel:
    """The kernel of that name; why it does not start is told where the notebook is executed.

    It talks over IPC: faster than TCP, and no port is open on the host. Its sockets have a folder
    of their own. Left alone, jupyter_client calls them kernel-ipc-1 and so on in the working
    directory, where two reports of one study would share them.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_core.utils import run_sync

    if not name:
        return Kernel(None, log)
    environment = {
        "PERFKIT_PROGRESS": "lines",
        **os.environ,
        # another renderer in the user's environment would lose the chart's mime type
        "PLOTLY_RENDERER": "plotly_mimetype",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        **more,
        # what it lays aside, such as an unpacked archive, is removed even where it is killed
        "TMPDIR": str(own),
    }
    manager = AsyncKernelManager(kernel_name=name, transport="ipc", ip=str(own / "k"))
    try:
        run_sync(manager.start_kernel)(
            extra_arguments=[*OPTIONS] if manager.ipykernel else [],
            cwd=str(cwd),
            env=environment,
            stderr=log,  # on Ctrl-C it would fill the terminal with tracebacks of its own
        )
    except (NoSuchKernel, OSError, RuntimeError) as problem:
        return Kernel(None, log, problem)
    return Kernel(manager, log)


PYTHON = {"kernel_name": "python3", "language": "python"}
"""What is asked of papermill for a notebook that names no kernel: no Jupyter has saved it yet."""


def asked(notebook: Path) -> dict[str, str]:
    """What papermill must be told of the notebook's kernel; nothing where it is named there."""
    return PYTHON if _kernelspec(notebook) == {} else {}


def _kernel_name(notebook: Path) -> str | None:
    """The name of the notebook's kernel; None for what is not a notebook."""
    found = _kernelspec(notebook)
    return None if found is None else str(found.get("name", PYTHON["kernel_name"]))


def _kernelspec(notebook: Path) -> Json | None:
    """What the notebook says of its kernel, empty where it says nothing; None: no notebook."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        found = json.loads(notebook.read_text(encoding="utf-8"))
        return dict(found["metadata"].get("kernelspec") or {})
    return None
