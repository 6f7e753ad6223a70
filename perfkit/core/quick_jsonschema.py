"""jsonschema, imported without the grammars that it hardly ever needs.

For its formats "iri" and "iri-reference" jsonschema imports the package rfc3987-syntax, which
builds dozens of Earley parsers while it is imported: 2.8 of 3.2 s of ``import nbformat`` and 3 of
8 s of ``import great_expectations`` on a slow core, in each process of a report. Within
``grammars_later`` that package is imported when such a format is first checked.

This is perfkit's one trick with other people's modules. Where jsonschema was imported before,
it changes nothing, and the report has the same bytes (tests/reporting/test_quick.py).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType

GRAMMARS = "rfc3987_syntax"


@contextlib.contextmanager
def grammars_later() -> Iterator[None]:
    """While this is open, a module stands in for the grammars that imports them on use."""
    if GRAMMARS in sys.modules or importlib.util.find_spec(GRAMMARS) is None:
        yield
        return
    later = ModuleType(GRAMMARS)
    vars(later)["is_valid_syntax"] = _is_valid_syntax
    sys.modules[GRAMMARS] = later
    try:
        yield
    finally:
        del sys.modules[GRAMMARS]


def _is_valid_syntax(term: str, value: str) -> bool:
    return bool(importlib.import_module(GRAMMARS).is_valid_syntax(term, value))
