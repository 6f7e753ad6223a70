"""In the notebook's kernel: import what the notebook will ask of perfkit before it is asked.

The kernel starts while the process that makes the report imports papermill; this fills the wait. It
is loaded as an extension of IPython and changes no name of the notebook. What cannot be imported is
told by the cell that asks for it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re

import perfkit

VARIABLE = "PERFKIT_WARM"
"""Environment variable with the modules to import, told by blanks."""

_VERB = re.compile(r"\bpk\.(\w+)")
_READ = ("perfkit.report.labelled", "perfkit.parsers")
_MORE = {"read_evidence": _READ, "read_run": _READ[1:]}
"""Methods of a study that import what they need themselves."""


def modules_for(code: str) -> list[str]:
    """The modules behind perfkit's verbs in a notebook's code, each once, in order."""
    homes = [perfkit._HOME[name] for name in _VERB.findall(code) if name in perfkit._HOME]
    more = [module for method, own in _MORE.items() if f".{method}(" in code for module in own]
    return list(dict.fromkeys([*homes, *more]))


def load_ipython_extension(_shell: object) -> None:
    """Import the modules that the environment names."""
    for module in os.environ.pop(VARIABLE, "").split():
        with contextlib.suppress(Exception):
            importlib.import_module(module)
