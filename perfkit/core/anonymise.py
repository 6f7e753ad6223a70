"""Host names, serial numbers and addresses replaced by words, the same word for the same thing.

The readers note the names they meet while they read (``note_names``, in the notebook's kernel), for
only they know which column holds one; addresses are known by their form. Then every text of the
executed notebook is rewritten at once, before anything is made of it.
"""

from __future__ import annotations

import ipaddress
import json
import os
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

NOTES_VARIABLE = "PERFKIT_NAMES_FILE"
"""Environment variable with the file in which readers note names; without it none are noted."""

HOST, SERIAL, ADDRESS, DOMAIN, KEEP = "host", "serial", "address", "domain", "keep"

HOST_COLUMNS = frozenset({
    "host", "hosts", "hostname", "host_name", "server", "server_name", "node", "nodename",
    "machine",
})  # fmt: skip
SERIAL_FACTS = frozenset({"serial", "wwid", "wwn", "port_wwn", "uuid", "serial_number"})
VERSION_COLUMNS = frozenset({"release", "version", "tool_version", "db_version"})
"""Columns whose values are not an address, though they may be written like one ("12.1.0.2")."""

_NOT_SECRET = frozenset({
    "localhost", "localhost.localdomain", "all", "total", "none", "null", "unknown", "controller",
    "n/a", "na", "default", "not specified", "to be filled by o.e.m.",
})  # fmt: skip
_SHORT = 4
"""Names of fewer characters are replaced only as they are written, in capitals or small letters."""

_DIGITS = 6

_LISTED = re.compile(r"\s*(.+?)(?: \(\d+\))?$")

_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ADDRESSES = re.compile(
    r"(?<![\w.:\-])(?:"
    rf"(?P<v4>{_OCTET}(?:\.{_OCTET}){{3}})(?![\w]|\.\d)"
    r"|(?P<mac>[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5,7}(?:(?:[:-][0-9a-f]{2}){8})?)(?![\w:-])"
    r"|(?P<v6>[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![\w:])"
    r"|(?P<wwn>(?:naa|eui|nvme|t10|uuid)\.[0-9a-z.\-]{8,}|0x[0-9a-f]{16}|iqn\.\d{4}-\d\d\.[\w.:\-]+"
    r"|nqn\.\d{4}-\d\d\.[\w.:\-]+)(?![\w])"
    r")",
    re.IGNORECASE,
)
_GROUPS = re.compile(r"(?i)[0-9a-f]{3,4}::?|(?:[0-9a-f]+:){4}")
"""What tells an IPv6 address from times and names with colons."""

_RELEASE = re.compile(r"(?:8\.1\.7|9\.2\.0|1[12]\.[12]\.0)\.\d{1,2}$")
"""Releases of Oracle's database in four numbers; all other ranges may be addresses."""

_STRUCTURE = frozenset({
    "cell_type", "output_type", "kind", "type", "mode", "sha256", "unit", "rounding", "function",
    "inputs", "output", "nbformat", "mimetype", "language", "codemirror_mode", "outcome",
})  # fmt: skip
"""Keys of a notebook's JSON whose values are not words for a reader."""


def note_names(frames: Mapping[str, pl.DataFrame], versions: Iterable[str | None] = ()) -> None:
    """Note the names in a reading's tables, where a report that hides them is being made."""
    place = os.environ.get(NOTES_VARIABLE)
    if not place:
        return
    found = [*names_in(frames), *((KEEP, version) for version in versions if version)]
    with Path(place).open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(pair) + "\n" for pair in dict.fromkeys(found))


def names_in(frames: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, str]]:
    """Kind and text of every name in the tables, in their order.

    A column is known by its name; in a table of facts, a row by the last part of the fact's.
    """
    for frame in frames.values():
        for column in frame.columns:
            kind = HOST if column in HOST_COLUMNS else KEEP if column in VERSION_COLUMNS else None
            if kind and frame.schema[column] == pl.String:
                yield from _listed(kind, frame[column].unique(maintain_order=True).to_list())
        if {"fact", "value"} <= set(frame.columns):
            for fact, value in frame.select("fact", "value").rows():
                kind = _kind_of_fact(str(fact))
                if kind:
                    yield from _listed(kind, [value])


def _kind_of_fact(fact: str) -> str | None:
    last = fact.rsplit(".", 1)[-1]
    if last in HOST_COLUMNS:
        return HOST
    return SERIAL if last in SERIAL_FACTS else KEEP if last in VERSION_COLUMNS else None


def _listed(kind: str, values: Iterable[str | None]) -> Iterator[tuple[str, str]]:
    """Each name of values that may list several, with how often they stand: "a (2), b (1)"."""
    for value in values:
        for part in (value or "").split(", "):
            found = _LISTED.match(part)
            if found and not re.fullmatch(r"[\W_]*", found[1]):
                yield kind, found[1].strip()


@dataclass
class Names:
    """The names to be replaced, each with its word; made from the readers' notes.

    ``apply`` gives addresses their words as it meets them, so one instance serves one report.
    """

    words: dict[str, str] = field(default_factory=dict)
    keep: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    _counts: dict[str, int] = field(default_factory=dict)
    _pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> Names:
        """The names of these kinds and texts; a full host name hides its short form too."""
        given = list(dict.fromkeys(pairs))
        names = cls(taken={text.lower() for _, text in given})
        for kind, text in given:
            if kind == KEEP:
                names.keep.add(text)
            elif text.lower() not in _NOT_SECRET and not re.fullmatch(r"(.)\1*", text):
                names._add(kind, text)
        return names

    @classmethod
    def noted(cls, notes: Path) -> Names:
        """The names noted in a file, and this host's own."""
        lines = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        pairs = [(str(kind), str(text)) for kind, text in map(json.loads, lines)]
        return cls.of([*pairs, *([(HOST, platform.node())] if platform.node() else [])])

    def counts(self) -> dict[str, int]:
        """How many different things of each kind were given a word."""
        return dict(self._counts)

    def apply(self, text: str) -> str:
        """The text with every name and address replaced."""
        if text.strip().isdecimal():
            return self.words.get(text.strip(), text)
        if self._pattern is None:
            # a few digits are replaced only where they are the whole text: they may be a number
            plain = [name for name in self.words if not (name.isdecimal() and len(name) < _DIGITS)]
            self._pattern = _pattern_of(plain)
        hidden = self._pattern.sub(self._word_of, text) if self._pattern.pattern else text
        return _ADDRESSES.sub(self._address, hidden)

    def apply_json(self, value: Any) -> Any:
        """JSON with every text replaced, but for those that are part of its structure."""
        if isinstance(value, str):
            return self.apply(value)
        if isinstance(value, Mapping):
            return {
                key: inner
                if key in _STRUCTURE and not isinstance(inner, Mapping | list)
                else self.apply_json(inner)
                for key, inner in value.items()
            }
        if isinstance(value, list):
            return [self.apply_json(inner) for inner in value]
        return value

    def _add(self, kind: str, text: str) -> None:
        if kind == HOST and _is_address(text):
            self._give(ADDRESS, text)
        elif kind == HOST and "." in text:
            short, _, domain = text.partition(".")
            word = self._give(HOST, short)
            self.words[text.lower()] = word
            self._give(DOMAIN, domain)
        else:
            self._give(kind, text)
        self._pattern = None

    def _give(self, kind: str, text: str) -> str:
        key = text.lower()
        if key not in self.words:
            number = self._counts[kind] = self._counts.get(kind, 0) + 1
            mark = f"{kind}-{number}"
            # somebody's host may be called so
            self.words[key] = f"anonymous-{mark}" if mark in self.taken else mark
        return self.words[key]

    def _word_of(self, found: re.Match[str]) -> str:
        plain = found[0].replace("\\", "").lower()
        return self.words.get(plain, found[0])

    def _address(self, found: re.Match[str]) -> str:
        text = found[0]
        if text in self.keep or _RELEASE.match(text):
            return text
        if found["v6"] and not _is_address(text):
            return text
        return self._give(ADDRESS, text)


def _pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    """One pattern for all names, the longest first, bounded by non-alphanumeric characters."""
    longest = sorted(names, key=lambda name: (-len(name), name))
    if not longest:
        return re.compile("")
    both = [form for name in longest for form in _forms(name)]
    return re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(both) + r")(?![A-Za-z0-9])")


def _forms(name: str) -> Iterator[str]:
    """How a name may be written: in any case, and with Markdown's backslashes in it."""
    # the escape itself escapes backslashes of paths, so each sign is taken on its own
    signs = "".join(s if s.isalnum() else r"\\?" + re.escape(s) for s in name)
    if len(name) >= _SHORT:
        yield f"(?i:{signs})"
    else:
        yield signs
        yield signs.upper() if signs.isalnum() else signs


def _is_address(text: str) -> bool:
    """Whether it is an IPv4 or IPv6 address; "a::b" and "12:30:45" are none for a reader."""
    try:
        found = ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return False
    return found.version == 4 or bool(_GROUPS.search(text))
