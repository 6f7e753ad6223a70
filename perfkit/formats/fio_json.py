"""fio's JSON output as it really comes: notes before it, several documents, or nothing at all.

fio writes notes and error lines to stdout before the JSON (fio issue 731), and with
``--status-interval`` several complete documents one after the other, the last one final.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN = 80
"""Characters of foreign text quoted in an error."""


@dataclass(frozen=True)
class FioOutput:
    """The JSON documents of one fio output, their lines, and the text that stood around them."""

    documents: tuple[dict[str, Any], ...]
    text: tuple[str, ...]
    lines: tuple[int, ...] = ()

    @property
    def final(self) -> dict[str, Any]:
        """The last document: with ``--status-interval`` the earlier ones are interim."""
        return self.documents[-1]


def decode(text: str, path: Path | str) -> FioOutput:
    """Decode one fio output.

    Raises ParseError naming ``path`` and line: nothing in it, no JSON, JSON cut off, or JSON of
    another tool (no ``fio version``).
    """
    if not text.strip():
        raise ParseError(path, "the file is empty: fio wrote no result")
    decoder = json.JSONDecoder(
        parse_constant=lambda word: _refuse(path, word),
        object_pairs_hook=lambda pairs: _object(path, pairs),
    )
    documents: list[dict[str, Any]] = []
    around: list[str] = []
    lines: list[int] = []
    position = 0
    while (start := _next_brace(text, position)) is not None:
        around += text[position:start].splitlines()
        try:
            document, position = decoder.raw_decode(text, start)
        except json.JSONDecodeError as problem:
            line = text.count("\n", 0, problem.pos) + 1
            raise ParseError(
                path, f"JSON is cut off or damaged here: {problem.msg}", line
            ) from problem
        except (RecursionError, ValueError) as problem:
            # nested without end, or a number of thousands of digits: no tool writes that
            line = text.count("\n", 0, start) + 1
            raise ParseError(path, f"JSON is damaged: {problem}", line) from problem
        lines.append(text.count("\n", 0, start) + 1)
        documents.append(_checked(document, path, lines[-1]))
    around += text[position:].splitlines()
    notes = tuple(line.strip() for line in around if line.strip())
    if not documents:
        quoted = notes[0][:_SHOWN] if notes else ""
        raise ParseError(path, f"no line begins a JSON document; the file begins {quoted!r}", 1)
    return FioOutput(tuple(documents), notes, tuple(lines))


def _next_brace(text: str, position: int) -> int | None:
    """Where the next line that begins with ``{`` begins."""
    if text.startswith("{", position):
        return position
    found = text.find("\n{", position)
    return None if found < 0 else found + 1


def _refuse(path: Path | str, word: str) -> float:
    raise ParseError(path, f"{word} stands where a number belongs")


def _object(path: Path | str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """One JSON object; a key twice with different values is damage, or options of two servers.

    Client/server results up to fio 3.38 hold the global options of all servers in one object: an
    option in which the servers differ has no one value, and is left out.
    """
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    for key, value in pairs:
        if content.get(key, value) == value:
            continue
        if not isinstance(value, str):
            raise ParseError(path, f"{key!r} stands twice, with different values")
        content[key] = None
    return content


def _checked(document: Any, path: Path | str, line: int) -> dict[str, Any]:
    if not isinstance(document, dict) or "fio version" not in document:
        raise ParseError(path, "JSON, but not a fio result: no 'fio version' in it", line)
    return document
