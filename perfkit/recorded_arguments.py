"""Arguments of steps in a record: JSON values from which the arguments can be made again."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from perfkit.errors import AnalysisError, did_you_mean

TYPE = "$type"
"""The key that names the type of a recorded argument."""

PAIRS = "$pairs"
"""The key of a recorded mapping whose order, or whose keys, JSON's objects do not keep."""

_PRIVATE = "$private"
_KINDS: dict[str, str] = {
    "criterion": "perfkit.analysis.criteria:Criterion",
    "job_table": "perfkit.analysis.sas_jobs:JobTable",
    "relation": "perfkit.analysis.audit.relation:Relation",
}
"""The types of recorded arguments by name: where they are now. The names stay when they move."""

_OF_USERS: dict[str, type] = {}
_C = TypeVar("_C", bound=type)


def recorded_as(name: str) -> Callable[[_C], _C]:
    """Register a dataclass or pydantic model whose instances may be arguments of steps.

    A record holds the name beside the fields: the argument can be made again from it. Like a
    step's name it stays when the class moves. ValueError where another class has it.
    """

    def register(kind: _C) -> _C:
        if _KINDS.setdefault(name, _place(kind)) != _place(kind):
            raise ValueError(f"type name {name!r} of {_place(kind)} belongs to {_KINDS[name]}")
        _OF_USERS[name] = kind
        return kind

    return register


def _place(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _kind(name: str) -> Any:
    """The type of a name in a record."""
    if name not in _KINDS:
        raise AnalysisError(f"no type is recorded as {name!r}; {did_you_mean(name, list(_KINDS))}")
    module, _, kind = _KINDS[name].partition(":")
    return _OF_USERS.get(name) or getattr(importlib.import_module(module), kind)


def recordable(value: Any, where: str) -> Any:
    """What a record holds of an argument; what has no JSON form is left as it is.

    Raises AnalysisError for what could not be made again: of a type without a registered name.
    """
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Mapping):
        plain = all(isinstance(key, str) and key[:1] != "$" for key in value)
        if plain and list(value) == sorted(value):
            return {key: recordable(item, where) for key, item in value.items()}
        return {PAIRS: [[recordable(part, where) for part in pair] for pair in value.items()]}
    if isinstance(value, list | tuple):
        return [recordable(item, where) for item in value]
    if hasattr(value, "model_dump") or (is_dataclass(value) and not isinstance(value, type)):
        return _typed(value, where)
    return value  # who writes the record says that it has no JSON form


def _typed(value: Any, where: str) -> dict[str, Any]:
    name = next((name for name, place in _KINDS.items() if place == _place(type(value))), None)
    if name is None:
        raise AnalysisError(
            f"{where}: an argument of type {type(value).__name__} cannot be made again from its "
            "record: register the type with @recorded_as('a-name')"
        )
    if hasattr(value, "model_dump"):
        own = value.model_dump(mode="json", by_alias=True)
        aside = {key: item for key, item in (value.__pydantic_private__ or {}).items() if item}
    else:
        own = {item.name: getattr(value, item.name) for item in fields(value) if item.init}
        aside = {}
    made = {key: recordable(item, where) for key, item in own.items()}
    return made | {TYPE: name} | ({_PRIVATE: recordable(aside, where)} if aside else {})


def argument_from(recorded: Any, given: Callable[[str], Any] | None = None) -> Any:
    """The argument that a record holds: the inverse of ``recordable``.

    ``given`` has the data by their hash, of records with inputs.
    """
    if isinstance(recorded, list):
        return [argument_from(item, given) for item in recorded]
    if not isinstance(recorded, dict):
        return recorded
    if given is not None and set(recorded) == {"input"}:
        return given(recorded["input"])
    if PAIRS in recorded:
        return {key: argument_from(item, given) for key, item in recorded[PAIRS]}
    if TYPE in recorded:
        return _typed_from(recorded)
    return {key: argument_from(item, given) for key, item in recorded.items()}


def _typed_from(recorded: dict[str, Any]) -> Any:
    kind = _kind(recorded[TYPE])
    names = [key for key in recorded if key not in {TYPE, _PRIVATE}]
    own = {key: argument_from(recorded[key]) for key in names}
    if not hasattr(kind, "model_validate"):
        return kind(**own)
    made = kind.model_validate(own)
    for key, item in argument_from(recorded.get(_PRIVATE, {})).items():
        setattr(made, key, item)
    return made
