"""Read, run, analyse and report storage benchmarks.

``import perfkit as pk`` costs nothing: each verb imports its module when it is first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from perfkit._version import __version__

_HOME = {
    "Criterion": "perfkit.analysis",
    "Measured": "perfkit.lineage",
    "Reading": "perfkit.lineage",
    "named_workload": "perfkit.runners.workloads",
    "open_study": "perfkit.report.study",
    "read": "perfkit.parsers",
    "read_fio": "perfkit.parsers.fio",
    "read_run": "perfkit.parsers.run_dir",
    "run_sweep": "perfkit.runners.sweep",
}

__all__ = [
    "Criterion",
    "Measured",
    "Reading",
    "__version__",
    "named_workload",
    "open_study",
    "read",
    "read_fio",
    "read_run",
    "run_sweep",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'perfkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
