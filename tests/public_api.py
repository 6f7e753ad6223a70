"""The public names with their signatures, a line each (``make api`` writes them down)."""

from __future__ import annotations

import inspect
from typing import Any, get_overloads

from places import ROOT

import perfkit
from perfkit.core.lazy import names_of

SPACES = ("awr", "genio", "ontap", "sas")
SNAPSHOT = ROOT / "tests/data/public_api.txt"


class Bare(str):
    """An annotation that prints without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def public() -> dict[str, Any]:
    """Every name of the stubs with what it stands for: ``read``, ``sas.jobs`` ..."""
    found = {}
    for space in ("", *SPACES):
        stub = ROOT / "perfkit" / f"{space or '__init__'}.pyi"
        place = getattr(perfkit, space) if space else perfkit
        for name in names_of(stub.read_text(encoding="utf-8")):
            found[f"{space}.{name}".lstrip(".")] = getattr(place, name)
    return found


def lines() -> list[str]:
    """``read(path: Path | str, *, kind: str | None = None) -> Reading``, sorted by name."""
    return [line for name, value in sorted(public().items()) for line in _lines(name, value)]


def _lines(name: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        members = {*vars(value), *inspect.get_annotations(value)}
        return [f"{name}: class, {', '.join(sorted(n for n in members if n[0] != '_'))}"]
    if not callable(value):
        return [f"{name}: {type(value).__name__}"]
    return [f"{name}{_signature(item)}" for item in get_overloads(value) or [value]]


def _signature(function: Any) -> inspect.Signature:
    found = inspect.signature(function)
    parameters = [
        item.replace(annotation=_bare(item.annotation)) for item in found.parameters.values()
    ]
    return found.replace(parameters=parameters, return_annotation=_bare(found.return_annotation))


def _bare(annotation: Any) -> Any:
    return Bare(annotation) if isinstance(annotation, str) else annotation


if __name__ == "__main__":
    SNAPSHOT.write_text("\n".join([*lines(), ""]), encoding="utf-8")
