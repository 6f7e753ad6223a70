"""nbformat, imported quickly.

Import nbformat from here before papermill, nbclient or nbconvert import it themselves.
"""

from __future__ import annotations

from perfkit.core.quick_jsonschema import grammars_later

with grammars_later():
    import nbformat

__all__ = ["nbformat"]
