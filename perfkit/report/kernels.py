"""The kernel that runs a notebook: started early, over IPC, and never left behind."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from perfkit.report import warm

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUIET = "--HistoryManager.hist_file=:memory:"
_WARM = "--IPKernelApp.extensions=perfkit.report.warm"


@dataclass
class Kernel:
    """A kernel for one notebook.

    Attributes:
        manager_class: What it is managed by.
        manager: Of the kernel that is already starting; None where it could not be started early,
            and is started, or its failure told, when the notebook is executed.
        log: What its process says.
    """

    manager_class: Any
    manager: Any
    log: TextIO
    ending: bool = False

    def ask_to_end(self) -> None:
        """Ask the kernel to end; it does so while this process goes on."""
        from jupyter_core.utils import run_sync

        run_sync(self.manager.request_shutdown)()
        self.ending = True

    def end(self) -> None:
        """Wait for its end where it was asked to, and end it now where it was not."""
        from jupyter_core.utils import run_sync

        if self.manager is None or not self.manager.has_kernel:
            return
        if self.ending:
            run_sync(self.manager.finish_shutdown)()
            run_sync(self.manager.cleanup_resources)()
        else:
            run_sync(self.manager.shutdown_kernel)(now=True)


@contextlib.contextmanager
def starting(notebook: Path, cwd: Path) -> Iterator[Kernel]:
    """A kernel for the notebook that starts now, in ``cwd``; it ends with this context.

    It needs only jupyter_client: papermill and nbclient are imported while it starts.
    """
    with (
        _environment(_code(notebook)),
        tempfile.TemporaryFile("w+") as log,
        tempfile.TemporaryDirectory(prefix="perfkit-kernel-") as own,
    ):
        managed = _manager_class(log, Path(own))
        kernel = Kernel(managed, _started(managed, notebook, cwd, own), log)
        try:
            yield kernel
        finally:
            kernel.end()


def _started(managed: Any, notebook: Path, cwd: Path, own: str) -> Any:
    from jupyter_client.kernelspec import NoSuchKernel
    from jupyter_core.utils import run_sync

    name = _kernel_name(notebook)
    if not name:
        return None
    manager = managed(kernel_name=name)
    try:
        if manager.kernel_spec is None:
            return None
        more = [_QUIET, _WARM] if manager.ipykernel else []
        # what it lays aside, such as an unpacked archive, is removed even where it is killed
        env = {**os.environ, "TMPDIR": own}
        run_sync(manager.start_kernel)(extra_arguments=more, cwd=str(cwd), env=env)
    except (NoSuchKernel, OSError, RuntimeError):
        return None  # it is met again, and told, where the notebook is executed
    return manager


def _read(notebook: Path) -> Any:
    """The notebook's JSON; None for what is none, which is told where it is executed."""
    try:
        found = json.loads(notebook.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _kernel_name(notebook: Path) -> str | None:
    with contextlib.suppress(KeyError, TypeError):
        return str(_read(notebook)["metadata"]["kernelspec"]["name"])
    return None


def _code(notebook: Path) -> str:
    """The code of a notebook's cells."""
    with contextlib.suppress(KeyError, TypeError):
        cells = [cell for cell in _read(notebook)["cells"] if cell["cell_type"] == "code"]
        return "\n".join("".join(cell["source"]) for cell in cells)
    return ""


@contextlib.contextmanager
def _environment(code: str) -> Iterator[None]:
    """Settings the kernel inherits: lines of progress, and charts as mime types only."""
    wanted = {
        "PERFKIT_PROGRESS": os.environ.get("PERFKIT_PROGRESS", "lines"),
        # another renderer in the user's environment would lose the chart's mime type
        "PLOTLY_RENDERER": "plotly_mimetype",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        warm.VARIABLE: " ".join(warm.modules_for(code)),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _manager_class(log: TextIO, sockets: Path) -> Any:
    """A kernel manager that talks over IPC: faster than TCP, and no port is open on the host.

    Its sockets lie in a folder of their own. Left alone, jupyter_client calls them kernel-ipc-1 and
    so on in the working directory, where two reports of one study would share them.

    What the kernel's own process says goes to ``log``: on Ctrl-C it would otherwise fill the
    terminal with tracebacks of its own.
    """
    from jupyter_client.manager import AsyncKernelManager

    class QuietKernelManager(AsyncKernelManager):  # type: ignore[misc]
        def __init__(self, **kwargs: Any):
            kwargs.setdefault("transport", "ipc")
            kwargs.setdefault("ip", str(sockets / "k"))
            super().__init__(**kwargs)

        async def _async_launch_kernel(self, kernel_cmd: list[str], **kwargs: Any) -> None:
            await super()._async_launch_kernel(kernel_cmd, **{**kwargs, "stderr": log})

        _launch_kernel = _async_launch_kernel

    return QuietKernelManager
