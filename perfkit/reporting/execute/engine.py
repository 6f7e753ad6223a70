"""perfkit's engine of papermill: a kernel that runs already, small notebooks, early charts."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.files import Json
from perfkit.core.values import MIME, PLOTLY_MIME, PlotlyJson
from perfkit.reporting.document.lineages import store_of, take_out

if TYPE_CHECKING:
    from perfkit.reporting.execute.kernels import Kernel
    from perfkit.reporting.write.charts import ChartPrinter

OUTPUT_WAIT_S = 300
"""How long outputs may take to arrive after a cell's end: a cell may show hundreds of tables."""


PARTS = ("perfkit.reporting.write.exporters", "typst")
"""What takes long to import. What cannot be imported is told where it is used."""


class Prefetch:
    """Told by the engine what a notebook does; nothing of it changes the report, or fails.

    ``charts`` draws each chart as soon as it is shown; None: they are drawn with the report.
    """

    def __init__(self, charts: ChartPrinter | None = None):
        self._charts, self._paper = charts, "us-letter"

    def begun(self) -> None:
        """The notebook runs: from now on this process mostly waits."""
        threading.Thread(target=_import_parts, name="exporters", daemon=True).start()

    def shown(self, data: Mapping[str, Any]) -> None:
        """A cell has shown something."""
        with contextlib.suppress(Exception):
            self._paper = data.get(MIME["front"], {}).get("paper") or self._paper
            if self._charts is not None and MIME["figure"] in data and PLOTLY_MIME in data:
                self._draw(self._charts, data[MIME["figure"]], data[PLOTLY_MIME])

    def _draw(self, charts: ChartPrinter, record: Mapping[str, Any], plotly: PlotlyJson) -> None:
        from perfkit.reporting.document.grids import text_sizes_mm
        from perfkit.reporting.write.charts import Chart

        portrait_mm, landscape_mm = text_sizes_mm(self._paper)
        width_mm = landscape_mm if record["wide"] else portrait_mm
        charts.prefetch(Chart(plotly, width_mm, record["height_mm"]))


def _import_parts() -> None:
    with contextlib.suppress(Exception):
        for part in PARTS:
            importlib.import_module(part)


@dataclass
class Run:
    """One execution: ``node`` is the notebook as far as it ran, None before it begins."""

    node: Any = None


def register(kernel: Kernel, prefetch: Prefetch, run: Run) -> str:
    """The name of an engine of papermill that runs a notebook in this kernel.

    ``prefetch`` is told when the notebook begins, and what it shows. When the notebook has run, the
    kernel is asked to end, and not waited for.
    """
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import NBClientEngine, papermill_engines

    class Client(PapermillNotebookClient):  # type: ignore[misc]
        """Lineages go to the notebook's metadata as they arrive, each record once."""

        def process_message(self, msg: Json, *more: Any, **named: Any) -> Any:
            data = msg["content"].get("data")
            if isinstance(data, dict):
                take_out(data, store_of(self.nb.metadata))
                prefetch.shown(data)
            return super().process_message(msg, *more, **named)

    class Engine(NBClientEngine):  # type: ignore[misc]
        @classmethod
        def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, **options: Any) -> Any:
            run.node = nb_man.nb
            manager = kernel.running()
            client = Client(nb_man, km=manager, **_for_client(kernel_name, options))
            prefetch.begun()
            try:
                node = client.execute()
            except BaseException:
                _stop_watching()
                kernel.end(now=False)  # with the time that its own cells need to end
                raise
            finally:
                if client.kc is not None:
                    client.kc.stop_channels()
            kernel.ask_to_end()
            return node

    papermill_engines.register("perfkit", Engine)
    return "perfkit"


def _stop_watching() -> None:
    """End what nbclient left in its loop: it would tell of the kernel's end with a traceback.

    A loop that runs is not nbclient's but the caller's, such as a notebook's own: it is left alone.
    """
    import asyncio

    from jupyter_core.utils import ensure_event_loop

    loop = ensure_event_loop()
    left = [] if loop.is_running() else asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        # nbclient's own task ends with "Kernel died", which asyncio tells unless it is asked for
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))


def _for_client(kernel_name: str, options: Mapping[str, Any]) -> dict[str, object]:
    """The options of papermill's engine under the names of its client."""
    given = {**options, "kernel_name": kernel_name}
    given["startup_timeout"] = given.pop("start_timeout", 60)
    given["timeout"] = given.pop("execution_timeout", None)
    given["iopub_timeout"] = OUTPUT_WAIT_S
    given.pop("input_path", None)
    return given
