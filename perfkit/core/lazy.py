"""Names that are imported when they are first used, as a module's stub lists them.

The stub (``perfkit/__init__.pyi``, ``perfkit/awr.pyi`` ...) is the only list: editors and mypy take
the types from it, this module the names. Each is a line ``from MODULE import NAME as NAME``, and
of a verb ``as _NAME``: its signature stands below the list, with what it gives when the evidence
cannot answer.
"""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False  # typing alone takes longer to import than this module and the stubs to read
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any


def names_of(stub: str) -> dict[str, str]:
    """The public names in a stub, each with the module it comes from."""
    lines = [line.split() for line in stub.splitlines()]
    return {
        line[3]: line[1]
        for line in lines
        if line[::2] == ["from", "import", "as"] and line[5] in {line[3], f"_{line[3]}"}
    }


def attach(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a module, by the stub beside it."""
    here = sys.modules[module]
    loader: Any = here.__loader__
    homes = names_of(loader.get_data(f"{here.__file__}i").decode())
    names = sorted(homes)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(_unknown(here, name, homes))
        if homes[name] == module:
            return importlib.import_module(f"{module}.{name}")
        value = getattr(importlib.import_module(homes[name]), name)
        if callable(value) and not isinstance(value, type):
            from perfkit.core.unanswered import answering

            value = answering(value)
        setattr(here, name, value)
        return value

    return get, names.copy, names


def _unknown(here: ModuleType, name: str, homes: Mapping[str, str]) -> str:
    told = f"module {here.__name__!r} has no attribute {name!r}"
    if name.startswith("_"):
        return told
    import difflib

    spaces = [space for space, home in homes.items() if home == here.__name__]
    within = [f"{space}.{inner}" for space in spaces for inner in getattr(here, space).__all__]
    close = difflib.get_close_matches(name, [*homes, *within], n=1)
    return f"{told}; did you mean {close[0]!r}?" if close else told


def show_in_notebooks(module: str, name: str, *, by: str) -> None:
    """Let a kernel show values of a class by ``show`` of another module, imported when needed.

    Outside a kernel nothing is done: nothing is imported to find out.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return

    def show(value: object) -> None:
        importlib.import_module(by).show(value)

    formatter = shell.display_formatter.ipython_display_formatter
    formatter.for_type_by_name(module, name, show)
