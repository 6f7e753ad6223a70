"""YAML files that remember their lines, pydantic's errors with path and line, and ``format:``.

Files of ours in an older format are brought up to the newest before they are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

from perfkit._version import __version__
from perfkit.core.errors import StudyError, did_you_mean

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

M = TypeVar("M", bound="BaseModel")

FIRST = "0.1"
"""The release whose files name no format: they are of format 0."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a migration changed: a place in the file and what it now says there."""

    place: tuple[str | int, ...]
    value: str


Migration = Callable[[Any, Path], list[Change]]
"""Brings a document (changed in place, so that it keeps its lines) from its format to the next.

The path is the file's. Raises ``MigrationError`` for what cannot be brought up.
"""


class MigrationError(Exception):
    """A place of an older file that cannot be brought up, and what its owner can do."""

    def __init__(self, place: tuple[str | int, ...], cure: str):
        super().__init__(cure)
        self.place = place


@dataclass(frozen=True, slots=True)
class Format:
    """The newest format of a kind of file, and the step up from each older one by its number."""

    newest: int
    steps: Mapping[int, Migration]


def load_model(path: Path, model: type[M], form: Format | None = None) -> M:
    """Read a YAML file into a pydantic model; one of an older format is brought up to ``form``.

    Raises StudyError naming the file, the line and the path inside it (``criteria[1].limit``) of
    every mistake: no such file, not YAML, a key twice, an unknown key, a value that does not fit,
    a format that is newer or cannot be brought up.
    """
    from pydantic import ValidationError

    document = load(path)
    if form is not None:
        _bring_up(path, document, form)
    try:
        return model.model_validate(plain(document))
    except ValidationError as problem:
        raise _study_error(path, document, problem, model) from problem


def load(path: Path) -> Any:
    """The YAML document, with ruamel's line marks; StudyError where it is not YAML."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        text = path.read_text(encoding="utf-8")
        document = YAML(typ="rt").load(text)
    except FileNotFoundError:
        raise StudyError(path, "there is no such file") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise StudyError(path, f"cannot be read: {problem}") from problem
    except MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else None
        raise StudyError(path, f"not YAML: {problem.problem}", line) from problem
    except YAMLError as problem:
        raise StudyError(path, f"not YAML: {problem}") from problem
    if not isinstance(document, dict):
        raise StudyError(path, "a study is a mapping (name: value), and this is not one", 1)
    return document


def older(path: Path, form: Format) -> list[str]:
    """What the owner of a file of an older format should write into it; empty for the newest.

    Raises what ``load_model`` raises of formats.
    """
    document = load(path)
    changes = _bring_up(path, document, form)
    if document.get("format") == form.newest:
        return []
    places = [(_locate(document, change.place), change.value) for change in changes]
    return [
        f"It names no format, as in perfkit {FIRST}, and is read as format {form.newest}. Write:",
        f"  line 1: format: {form.newest}",
        *(f"  line {line}: {shown}: {value}" for (line, shown), value in places),
    ]


def _number_of(path: Path, document: Mapping[str, Any], newest: int, line: int) -> int:
    """The format that a document names; 0 for one that names none.

    Raises StudyError for one that is not a number from 1 to ``newest``.
    """
    if "format" not in document:
        return 0
    number = document["format"]
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise StudyError(path, f"format: {number!r} is not a format; the newest is {newest}", line)
    if number > newest:
        told = (
            f"format: {number} is from a newer perfkit; perfkit {__version__} reads up to {newest}"
        )
        raise StudyError(path, told, line)
    return number


def _bring_up(path: Path, document: Any, form: Format) -> list[Change]:
    """Bring the document from its format to the newest; what changed."""
    number = _number_of(path, plain(document), form.newest, _locate(document, ["format"])[0])
    steps = (form.steps[step] for step in range(number, form.newest))
    try:
        return [change for bring_up in steps for change in bring_up(document, path)]
    except MigrationError as problem:
        line, shown = _locate(document, problem.place)
        raise StudyError(path, f"{shown}: {problem}", line) from None


def line_of(path: Path, place: Sequence[str | int]) -> int:
    """The line of a place in a YAML file: of its deepest part that stands there."""
    return _locate(load(path), place)[0]


def lines_of(path: Path, places: Sequence[Sequence[str | int]]) -> list[int]:
    """The lines of several places in a YAML file, as ``line_of``, in one reading of it."""
    document = load(path)
    return [_locate(document, place)[0] for place in places]


def plain(node: Any) -> Any:
    """The document without ruamel's own types: dicts, lists and scalars."""
    if isinstance(node, dict):
        return {str(key): plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [plain(item) for item in node]
    for kind in (bool, int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node


def _study_error(
    path: Path, document: Any, problem: ValidationError, model: type[BaseModel]
) -> StudyError:
    """The mistakes of a validation, each with its path and line."""
    # a misspelled name explains the missing one, so it comes first
    errors = sorted(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
    places = [_locate(document, error["loc"]) for error in errors]
    texts = [
        f"{shown}: {_MESSAGES.get(error['type'], _pydantic_message)(error, model)}"
        for error, (_, shown) in zip(errors, places, strict=True)
    ]
    others = sorted({(line, text) for (line, _), text in zip(places[1:], texts[1:], strict=True)})
    more = "".join(f"\n  line {line}: {text}" for line, text in others)
    return StudyError(path, texts[0] + more, places[0][0])


def _pydantic_message(error: Any, _model: type[BaseModel]) -> str:
    return str(error["msg"]).removeprefix("Value error, ")


def _unknown(error: Any, model: type[BaseModel]) -> str:
    known = _known_names(model, error["loc"][:-1])
    return f"unknown name; {did_you_mean(str(error['loc'][-1]), known)}"


def _no_choice(error: Any, _model: type[BaseModel]) -> str:
    choices = re.findall(r"'([^']*)'", error["ctx"]["expected"])
    return f"{error['input']!r} is not a choice; {did_you_mean(str(error['input']), choices)}"


def _missing(_error: Any, _model: type[BaseModel]) -> str:
    return "is missing"


_MESSAGES = {
    "extra_forbidden": _unknown,
    "missing": _missing,
    "literal_error": _no_choice,
}
"""How pydantic's kinds of error are worded; the others as pydantic does."""


def _locate(document: Any, loc: Sequence[str | int]) -> tuple[int, str]:
    """The line of the deepest part of a location that stands in the file, and its name."""
    node, line, shown = document, 1, ""
    for part in loc:
        if isinstance(part, int):
            if not isinstance(node, list) or part >= len(node):
                break
            line = _mark(node).item(part)[0] + 1
            node, shown = node[part], f"{shown}[{part}]"
            continue
        # names that pydantic puts into a location for a union's member stand in no file
        if isinstance(node, dict) and part in node:
            line = _mark(node).key(part)[0] + 1
            node, shown = node[part], f"{shown}.{part}" if shown else part
        elif part == loc[-1]:
            shown = f"{shown}.{part}" if shown else str(part)
    return line, shown or "the file"


def _mark(node: Any) -> Any:
    """The line marks that ruamel's mappings and sequences carry."""
    return node.lc


def _known_names(model: type[BaseModel], loc: Sequence[str | int]) -> list[str]:
    """The field names of the model at a location, found through the annotations."""
    from pydantic import BaseModel

    current: Any = model
    for part in loc:
        if isinstance(part, int) or not hasattr(current, "model_fields"):
            continue
        field = current.model_fields.get(part)
        candidates = [field.annotation, *get_args(field.annotation)] if field else []
        nested = [inner for item in candidates for inner in (item, *get_args(item))]
        models = [c for c in nested if isinstance(c, type) and issubclass(c, BaseModel)]
        current = models[0] if models else None
    fields = getattr(current, "model_fields", {})
    return [field.alias or name for name, field in fields.items()]
