"""nbformat, imported without the grammars that it never uses.

nbformat imports jsonschema, and jsonschema, for its formats "iri" and "iri-reference", imports the
package rfc3987-syntax, which builds three Earley parsers while it is imported: 1.1 to 1.9 s of
processor time of every report (11.6 s instead of 9.9 s for the study tr-4784, medians of four in
turns on two busy cores). Here it is imported when such a format is first checked. Import nbformat
from here before papermill, nbclient or nbconvert import it themselves.

This is perfkit's one trick with other people's modules. Where nbformat was imported before, nothing
is done, and the report has the same bytes (tests/reporting/test_quick.py).
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

GRAMMARS = "rfc3987_syntax"


@contextlib.contextmanager
def _grammars_later() -> Iterator[None]:
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


with _grammars_later():
    import nbformat

__all__ = ["nbformat"]
