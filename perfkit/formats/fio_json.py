"""fio's JSON output as it really comes: notes before it, several documents, or nothing at all.

fio writes notes and error lines to stdout before the JSON (fio issue 731). With
``--status-interval`` it writes several complete documents, of which the last is final. Output in
other forms is recognised, to say what to do instead.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfkit.core.errors import ParseError
from perfkit.core.files import Json

_SHOWN = 80
"""Characters of foreign text quoted in an error."""


@dataclass(frozen=True)
class FioOutput:
    """The JSON documents of one fio output, their lines, and the text around them.

    ``runs``: so many of the documents are final, as far as that is known.
    """

    documents: tuple[Json, ...]
    text: tuple[str, ...]
    lines: tuple[int, ...] = ()
    runs: int = 1

    @property
    def final(self) -> Json:
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
    documents: list[Json] = []
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
        if not isinstance(document, dict) or "fio version" not in document:
            held = len(_HELD.findall(text, start, position))
            why = f"JSON that holds {held} results of fio: put each into a file of its own"
            alone = "JSON, but not a fio result: no 'fio version' in it"
            raise ParseError(path, why if held else alone, lines[-1])
        documents.append(document)
    around += text[position:].splitlines()
    notes = tuple(line.strip() for line in around if line.strip())
    if not documents:
        quoted = notes[0][:_SHOWN] if notes else ""
        raise ParseError(path, f"no line begins a JSON document; the file begins {quoted!r}", 1)
    return FioOutput(tuple(documents), notes, tuple(lines))


OPENS = re.compile(r'^\{|\{\n\s*"fio version"\s*:\s*"fio-', re.M)
"""Where a document begins: at a line's start; behind other text (a progress line without an end, a
character typed by accident) the brace that fio's first key follows."""


_HELD = re.compile(r'[\[:,]\s*\{\s*"fio version"\s*:\s*"fio-')
"""Where a result begins that other JSON holds: whose it is only the names there say."""


def _next_brace(text: str, position: int) -> int | None:
    """The start of the next document."""
    if text.startswith("{", position):
        return position
    found = OPENS.search(text, position)
    return None if found is None else found.start()


def _refuse(path: Path | str, word: str) -> float:
    raise ParseError(path, f"{word} was found where a number belongs")


def _object(path: Path | str, pairs: list[tuple[str, Any]]) -> Json:
    """One JSON object. A key that stands twice with different values is damage, or an option.

    Client/server results up to fio 3.38 hold the global options of all servers in one object: an
    option in which the servers differ has no single value, and becomes None.
    """
    content = dict(pairs)
    if len(content) == len(pairs):
        return content
    for key, value in pairs:
        if content.get(key, value) == value:
            continue
        if not isinstance(value, str):
            raise ParseError(path, f"{key!r} appears twice, with different values")
        content[key] = None
    return content


CURE = "run fio with --output-format=json+ --output=FILE and read that file"

FORMS = (
    (
        ";fio-",
        re.compile(r"^[345];fio-\d", re.M),
        f"fio's terse output, not a JSON result: it holds no histogram; {CURE}",
    ),
    (
        ": (groupid=",
        re.compile(r"^\S.*: \(groupid=\d+, jobs=\d+\): err=", re.M),
        f"fio's normal output without the lines of its jobs, or of a client; {CURE}",
    ),
    (
        ",",
        re.compile(r"\A(?:\d+, *){20,}"),
        "a fio histogram log, not a result: read it as kind fio-log",
    ),
    (
        ",",
        re.compile(r"\A(?:\d+, *\d+, *[0-2], *\d+(?:, *\w+)*\s*(?:\n|\Z))+"),
        "a fio log, not a result: read it as kind fio-log",
    ),
    (
        "valid values: read",
        re.compile(r"^\s+valid values: read\s+Sequential read", re.M),
        "no result: fio refused an option and wrote its help instead",
    ),
)
"""Each form: a word of it, which is quickly looked for, its pattern and the sentence about it, in
the order in which they are tried."""


def form_of(text: str) -> str | None:
    """What this output of fio is, with the cure; None if it has none of the known forms."""
    return next(
        (told for word, pattern, told in FORMS if word in text and pattern.search(text)), None
    )


_ERROR_LINE = re.compile(
    r"^(fio: (io_u error on file|pid=\d+, err=|first direct IO errored|verify)|verify: bad |"
    r"[\w-]+: verify failed at file )",
    re.M,
)
"""What fio writes of an I/O that failed: there may be more of it than of the result."""


def has_error_line(text: str) -> bool:
    """Whether fio wrote of an I/O that failed."""
    words = ("fio: ", "verify: bad ", ": verify failed at ")
    return any(one in text for one in words) and bool(_ERROR_LINE.search(text))


OF_A_CLIENT = re.compile(
    r"^(<[^>]*>( |$)(\S+: \(g=\d+\): rw=.*|\.\.\.|Starting \d+ (thread|process)(s|es)?|)$"
    r"|hostname=\S+, be=\d)"
)
"""What fio's client prints before the result: each server's name, and its job."""
