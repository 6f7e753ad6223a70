"""Arguments of steps in a record: JSON values from which the arguments can be made again.

A recorded argument comes back as an equal value of the same type, or is refused: plain JSON would
change a tuple, NaN or the keys of a mapping.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from enum import Enum
from pathlib import PurePath
from typing import Any, TypeVar

from perfkit.core.errors import AnalysisError, check_name
from perfkit.core.files import Json

TYPE = "$type"
"""The key that names the type of a recorded argument."""

PAIRS = "$pairs"
"""The key of a recorded mapping whose order or keys a JSON object would not keep."""

INPUT = "input"
"""The only key of a record that stands for data; its value is their hash."""

MEMBER = "$member"
_PRIVATE = "$private"
_TUPLE, _FLOAT, _DURATION = "$tuple", "$float", "$duration"
_MOMENTS: dict[type, str] = {date: "$date", time: "$time", datetime: "$datetime"}
_KINDS: dict[str, str] = {
    "criterion": "perfkit.analysis.verdicts.criteria:Criterion",
    "job_table": "perfkit.analysis.sas.jobs:JobTable",
    "relation": "perfkit.auditing.relations.relation:Relation",
}
"""Where the types of recorded arguments are now, by name. The names stay when a type moves."""

_OF_USERS: dict[str, type] = {}
_C = TypeVar("_C", bound=type)


@dataclass(frozen=True)
class Input:
    """Data among the arguments of a step, by their hash."""

    hash: str


def recorded_as(name: str) -> Callable[[_C], _C]:
    """Register a dataclass, pydantic model or enum whose instances may be arguments of steps.

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
    check_name("type is recorded as", name, _KINDS)
    module, _, kind = _KINDS[name].partition(":")
    return _OF_USERS.get(name) or getattr(importlib.import_module(module), kind)


def recordable(value: Any, where: str) -> Any:
    """What a record holds of an argument.

    A scalar of numpy is held as the plain number or text that equals it, and any mapping as a dict.

    Raises AnalysisError for what could not be made again as it was: of a type without a registered
    name, or that has no form in a record (a path, a set, an open file).
    """
    form = _FORMS.get(type(value))
    if form is not None:
        return form(value, where)
    if isinstance(value, Mapping):
        return _mapping(value, where)
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        plain = value.item()
        if type(plain) not in {bool, int, float, str}:
            raise _formless(value, where)
        return recordable(plain, where)
    return _typed(value, where)


def _as_it_is(value: Any, _: str) -> Any:
    return value


def _float(value: float, _: str) -> Any:
    # JSON has no word for what is not finite
    return value if math.isfinite(value) else {_FLOAT: repr(value)}


def _text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise AnalysisError(f"{where}: the text {value!r} is not Unicode") from None
    return value


def _list(value: Iterable[Any], where: str) -> list[Any]:
    return [recordable(item, where) for item in value]


def _tuple(value: Iterable[Any], where: str) -> Any:
    return {_TUPLE: _list(value, where)}


def _mapping(value: Mapping[Any, Any], where: str) -> dict[str, object]:
    keys = list(value)
    plain = all(type(key) is str and key[:1] != "$" for key in keys) and keys != [INPUT]
    if plain and keys == sorted(keys):
        return {_text(key, where): recordable(item, where) for key, item in value.items()}
    return {PAIRS: [_list(pair, where) for pair in value.items()]}


def _input(value: Input, _: str) -> Any:
    return {INPUT: value.hash}


def _moment(value: date | time, where: str) -> Any:
    zone = getattr(value, "tzinfo", None)
    if getattr(value, "fold", 0) or not isinstance(zone, timezone | None):
        # the text does not hold the rules of a zone, nor which of two equal hours it is
        raise AnalysisError(
            f"{where}: {value!r} cannot be made again from its record: give it in UTC, or with a "
            "fixed offset"
        )
    return {_MOMENTS[type(value)]: value.isoformat()}


def _duration(value: timedelta, _: str) -> Any:
    return {_DURATION: [value.days, value.seconds, value.microseconds]}


_FORMS: dict[type, Callable[[Any, str], Any]] = {
    type(None): _as_it_is, bool: _as_it_is, int: _as_it_is, float: _float, str: _text,
    list: _list, tuple: _tuple, Input: _input,
    date: _moment, time: _moment, datetime: _moment, timedelta: _duration,
}  # fmt: skip
"""How each type is written. A subclass is another type: it would come back as its base, which makes
no difference for a mapping alone."""


def _formless(value: Any, where: str) -> AnalysisError:
    path = isinstance(value, PurePath)
    why = ": it means another file elsewhere; give a name as text" if path else ""
    return AnalysisError(
        f"{where}: an argument of type {type(value).__name__} has no JSON form{why}"
    )


def _typed(value: Any, where: str) -> dict[str, object]:
    known = hasattr(value, "model_dump") or isinstance(value, Enum) or is_dataclass(value)
    if not known or isinstance(value, type):
        raise _formless(value, where)
    name = next((name for name, place in _KINDS.items() if place == _place(type(value))), None)
    cannot = f"{where}: an argument of type {type(value).__name__} cannot be made again from its"
    if name is None:
        raise AnalysisError(f"{cannot} record: register the type with @recorded_as('a-name')")
    if isinstance(value, Enum):
        return {TYPE: name, MEMBER: value.name}
    made = _fields(value, name, where)
    if _typed_from(made) != value:
        raise AnalysisError(f"{cannot} fields: {value!r} would become {_typed_from(made)!r}")
    return made


def _fields(value: Any, name: str, where: str) -> dict[str, object]:
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

    def again(item: Any) -> Any:
        return argument_from(item, given)

    if isinstance(recorded, list):
        return [again(item) for item in recorded]
    if not isinstance(recorded, dict):
        return recorded
    if TYPE in recorded:
        return _typed_from(recorded)
    if len(recorded) == 1:
        ((key, held),) = recorded.items()
        if key == INPUT and given is not None:
            return given(held)
        if key in _MADE:
            return _MADE[key](held, again)
    return {key: again(item) for key, item in recorded.items()}


_MADE: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    PAIRS: lambda pairs, again: {again(key): again(item) for key, item in pairs},
    _TUPLE: lambda items, again: tuple(map(again, items)),
    _FLOAT: lambda text, _: float(text),
    _DURATION: lambda parts, _: timedelta(*parts),
    _MOMENTS[date]: lambda text, _: date.fromisoformat(text),
    _MOMENTS[time]: lambda text, _: time.fromisoformat(text),
    _MOMENTS[datetime]: lambda text, _: datetime.fromisoformat(text),
}
"""How a record with a single key is read back."""


def _typed_from(recorded: Json) -> Any:
    kind = _kind(recorded[TYPE])
    if MEMBER in recorded:
        return kind[recorded[MEMBER]]
    names = [key for key in recorded if key not in {TYPE, _PRIVATE}]
    own = {key: argument_from(recorded[key]) for key in names}
    if not hasattr(kind, "model_validate"):
        return kind(**own)
    made = kind.model_validate(own)
    for key, item in argument_from(recorded.get(_PRIVATE, {})).items():
        setattr(made, key, item)
    return made


def arguments_json(arguments: Mapping[str, Any], where: str) -> str:
    """A step's arguments as canonical JSON, from which the call can be made again.

    The order of a mapping is kept: what is made of it may have it, as the columns of a frame.

    Raises AnalysisError for what could not be made again (``recorded_arguments.recordable``).
    """
    # the order of the arguments themselves means nothing
    return canonical_json({key: recordable(arguments[key], where) for key in arguments}, where)


def canonical_json(value: Any, where: str = "record") -> str:
    """JSON text that is the same for the same value: sorted keys, no blanks, UTF-8 kept."""

    def default(item: Any) -> Any:
        if is_dataclass(item) and not isinstance(item, type):
            return asdict(item)
        if hasattr(item, "model_dump"):
            return item.model_dump(mode="json")
        if isinstance(item, Mapping):
            return dict(item)
        raise AnalysisError(f"{where}: an argument of type {type(item).__name__} has no JSON form")

    return json.dumps(
        value, default=default, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
