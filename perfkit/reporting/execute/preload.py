"""An extension of IPython for a report: perfkit imported as a whole, and figures as vectors.

The kernel starts while the process that makes the report imports papermill; this fills the wait. It
costs 0.7 s of processor time, of which a notebook would need 0.6 s anyway. No name is added to the
notebook's; what cannot be imported is told by the cell that asks for it.
"""

from __future__ import annotations

import contextlib
import importlib
from types import ModuleType
from typing import Any

import perfkit


def load_ipython_extension(shell: Any) -> None:
    """Import what is behind every public name; matplotlib's figures are shown as SVG, too.

    What the notebook itself says of figures comes later and holds.
    """
    shell.config.InlineBackend.figure_formats = {"svg", "png"}
    importlib.import_module("perfkit.study.evidence")  # behind methods of a study
    _import_names(perfkit)


def _import_names(space: ModuleType) -> None:
    for name in space.__all__:
        with contextlib.suppress(Exception):
            found = getattr(space, name)
            if isinstance(found, ModuleType):  # the names of one tool
                _import_names(found)
