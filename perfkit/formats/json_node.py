"""Typed access to JSON of any content: each fault names file and place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import ParseError
from perfkit.core.files import Json
from perfkit.core.units import LARGEST_INTEGER


@dataclass(frozen=True)
class Node:
    """One JSON object: its content, its place in the document, and the file for error messages.

    A key that is not there gives None; one that is there with a value of another type, or a
    number that nothing can count (NaN, infinite, below 0 where it cannot be), is a ParseError.
    """

    content: Json
    place: str
    file: Path | str

    def fault(self, key: str, problem: str) -> ParseError:
        """The error about one key."""
        return ParseError(self.file, f"{self.at(key)}: {problem}")

    def at(self, key: str) -> str:
        """A key's place: ``jobs[0].read.iops``."""
        return f"{self.place}.{key}" if self.place else key

    def has(self, key: str) -> bool:
        """Whether the key is there, with a value."""
        return self.content.get(key) is not None

    def need(self, *keys: str) -> None:
        """ParseError for the first key that is missing."""
        for key in keys:
            if not self.has(key):
                raise self.fault(key, "is missing")

    def number(self, key: str, *, signed: bool = False) -> float | None:
        """A finite number, not negative unless ``signed``."""
        value = self.content.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, f"{value!r} is not a number")
        if not math.isfinite(value) or abs(value) > LARGEST_INTEGER or (value < 0 and not signed):
            raise self.fault(key, f"{value!r} is impossible")
        return value

    def count(self, key: str, *, signed: bool = False) -> int | None:
        """A whole number."""
        value = self.number(key, signed=signed)
        if value is None or isinstance(value, int):
            return value
        raise self.fault(key, f"{value!r} is not a whole number")

    def text(self, key: str) -> str | None:
        """A text."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, str):
            raise self.fault(key, f"{value!r} is not a text")
        return value

    def flag(self, key: str) -> bool | None:
        """True or false."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, bool):
            raise self.fault(key, f"{value!r} is neither true nor false")
        return value

    def child(self, key: str) -> Node | None:
        """The object under a key."""
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.fault(key, "is not an object")
        return Node(value, self.at(key), self.file)

    def needed_child(self, key: str) -> Node:
        """The object under a key; ParseError where it is missing."""
        found = self.child(key)
        if found is None:
            raise self.fault(key, "is missing")
        return found

    def children(self, key: str) -> Iterator[Node]:
        """The objects of the list under a key; none where it is missing."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, list):
            raise self.fault(key, "is not a list")
        for place, item in enumerate(value or []):
            if not isinstance(item, dict):
                raise self.fault(f"{key}[{place}]", "is not an object")
            yield Node(item, self.at(f"{key}[{place}]"), self.file)

    def texts(self, key: str) -> list[str]:
        """The texts of the list under a key; none where it is missing."""
        value = self.content.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.fault(key, "is not a list of texts")
        return value

    def numbers(self, key: str) -> list[float]:
        """The finite numbers of the list under a key; none where it is missing."""
        value = self.content.get(key)
        if value is not None and not isinstance(value, list):
            raise self.fault(key, "is not a list")
        own = Node(
            {f"{key}[{n}]": item for n, item in enumerate(value or [])}, self.place, self.file
        )
        found = [own.number(name, signed=True) for name in own.content]
        if None in found:
            raise self.fault(key, "contains a null")
        return [number for number in found if number is not None]
