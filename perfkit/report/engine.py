"""perfkit's engine of papermill: a kernel that may run already, small notebooks, few saves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from perfkit.report.lineages import store_of, take_out

if TYPE_CHECKING:
    from collections.abc import Callable

    from perfkit.report.ahead import Ahead
    from perfkit.report.kernels import Kernel

OUTPUT_WAIT_S = 300
"""How long outputs may take to arrive after a cell's end: a cell may show hundreds of tables."""

SAVING_SHARE = 0.02
"""At most so much of a notebook's time goes into saving the partial notebook between cells."""


def register(kernel: Kernel, ahead: Ahead) -> str:
    """The name of an engine of papermill that runs a notebook in this kernel.

    ``ahead`` is told when the notebook begins, and what it shows. A kernel that was started early
    is asked to end when the notebook has run, and not waited for.
    """
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Client(PapermillNotebookClient):  # type: ignore[misc]
        """Lineages go to the notebook's metadata as they arrive, each record once."""

        def process_message(self, msg: dict[str, Any], *more: Any, **named: Any) -> Any:
            data = msg["content"].get("data")
            if isinstance(data, dict):
                take_out(data, store_of(self.nb.metadata))
                ahead.shown(data)
            return super().process_message(msg, *more, **named)

    class Engine(NBClientEngine):  # type: ignore[misc]
        """Papermill saves before and after every cell; here only when it costs little."""

        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
            nb_man.save = _seldom(nb_man.save)
            client = Client(nb_man, km=kernel.manager, **_for_client(kernel_name, options))
            ahead.begun()
            if kernel.manager is None:
                return client.execute()
            try:
                node = client.execute()
            except BaseException:
                client._cleanup_kernel()  # with the time that its own cells need to end
                raise
            kernel.ask_to_end()
            client.kc.stop_channels()
            return node

    papermill_engines.register("perfkit", Engine)
    return "perfkit"


def _for_client(kernel_name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of papermill's engine under the names of its client."""
    given = {**options, "kernel_name": kernel_name}
    given["startup_timeout"] = given.pop("start_timeout", 60)
    given["timeout"] = given.pop("execution_timeout", None)
    given["iopub_timeout"] = OUTPUT_WAIT_S
    given.pop("input_path", None)
    return given


def _seldom(save: Callable[..., None]) -> Callable[..., None]:
    """The function, left out while its last call would be more than its share of the time."""
    next_time = 0.0

    def call(**options: Any) -> None:
        nonlocal next_time
        begun = time.monotonic()
        if begun >= next_time:
            save(**options)
            done = time.monotonic()
            next_time = done + (done - begun) / SAVING_SHARE

    return call
