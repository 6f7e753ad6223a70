"""The messages of a log that are not timing block: data sets, banner, CAS, errors and warnings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from perfkit.sources.sas.labels import NAME, Language


@dataclass(frozen=True)
class Rows:
    """A note on observations."""

    role: str
    kind: str
    name: str | None
    observations: int | None
    variables: int | None = None


_RECORDS = re.compile(
    r"(?P<n>[\d,]+) records? (?:was|were) (?P<verb>read from|written to) (?:the )?"
    r"(?:infile|file)\s+(?P<name>.+?)\.?\s*(?:The minimum record length .*|Engine:.*)?$",
    re.I,
)
_CHANGED = re.compile(
    rf"(?P<n>No|[\d,]+) rows? (?:was|were) (?P<verb>inserted into|updated in|deleted from) {NAME}",
    re.I,
)
_UPDATED = re.compile(
    rf"The data set {NAME} has been updated\.\s+There were (?P<updated>[\d,]+) observations? "
    r"rewritten, (?P<inserted>[\d,]+) observations? added and (?P<deleted>[\d,]+) observations? "
    r"deleted",
    re.I,
)
"""MODIFY: three counts, of which those that are 0 say nothing."""
_NONE = re.compile(rf"No observations (?:in|were selected from) data set {NAME}", re.I)
_COUNTED = re.compile(r"\d|No ")
_NUMBER = re.compile(r"\d+|\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}")
"""A count, grouped or not. 1.234 might be a fraction; with two dots it cannot be one."""


def rows_of(text: str, languages: tuple[Language, ...]) -> tuple[Rows, ...]:
    """What a note says of observations; nothing where it says nothing of them."""
    if not _COUNTED.search(text):
        return ()
    for pattern, rows in _ENGLISH:
        found = pattern.match(text)
        if found:
            return rows(found)
    for language in languages:
        for kind, role, what in (
            ("read", "read", "data set"),
            ("written", "written", "data set"),
            ("table", "written", "table"),
        ):
            found = language.pattern(kind).match(text)
            if found:
                return (_of(found, role, what),)
    return ()


def _records(found: re.Match[str]) -> tuple[Rows, ...]:
    role, kind = ("read", "infile") if found["verb"].lower() == "read from" else ("written", "file")
    return (Rows(role, kind, found["name"].strip(), number(found["n"])),)


def _changed(found: re.Match[str]) -> tuple[Rows, ...]:
    count = 0 if found["n"].lower() == "no" else number(found["n"])
    return (Rows(found["verb"].split()[0].lower(), "table", found["name"].upper(), count),)


def _updated(found: re.Match[str]) -> tuple[Rows, ...]:
    counts = {role: number(found[role]) for role in ("updated", "inserted", "deleted")}
    said = {role: count for role, count in counts.items() if count != 0} or {"updated": 0}
    return tuple(Rows(role, "data set", found["name"].upper(), n) for role, n in said.items())


_ENGLISH: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[Rows, ...]]], ...] = (
    (_RECORDS, _records),
    (_CHANGED, _changed),
    (_NONE, lambda found: (Rows("read", "data set", found["name"].upper(), 0),)),
    (_UPDATED, _updated),
)
"""Notes that were met in English alone."""


def _of(found: re.Match[str], role: str, kind: str) -> Rows:
    groups = found.groupdict()
    values = [groups.get(name) or groups.get(f"{name}2") for name in ("name", "n", "v")]
    name, count, variables = values
    return Rows(
        role,
        kind,
        name.rstrip(".").upper() if name else None,
        number(count or ""),
        number(variables or ""),
    )


def number(text: str) -> int | None:
    """A count as printed; None for what is none, such as the dot for one that is not known."""
    return int(re.sub("[,.]", "", text)) if _NUMBER.fullmatch(text) else None


SAS_BANNER = re.compile(
    r"SAS \(r\) (?:Proprietary Software|9|Viya)\s*(?:Release|Version)?\s*(?P<release>\S+)"
    r"(?:\s+\(?(?P<maintenance>[^)]*?)\)?)?\s*(?:Licensed to (?P<licensed>.*))?$",
    re.I,
)
SLC_BANNER = re.compile(
    r"(?:Altair SLC|World Programming System|WPS)\s+(?:version\s+)?(?P<release>\S+)"
    r"(?:\s+\((?P<maintenance>[^)]*)\))?\s*(?:Licensed to (?P<licensed>.*))?$",
    re.I,
)
COPYRIGHT = re.compile(r"Copyright (?:\(c\)|\S* ?\d{4})", re.I)
PLATFORM = re.compile(
    r"This session is (?:executing|running) on the\s+(?P<platform>.+?)\s+platform\b", re.I
)
SITE = re.compile(r"(?P<name>.*?),?\s*\bSite (?P<site>\w+)\.?\s*$", re.I)
CAS_TIME = re.compile(
    r"The (?:Cloud Analytic Services|CAS) server processed the request in "
    r"(?P<s>\d+(?:\.\d+)?) seconds?",
    re.I,
)
STOPPED = re.compile(r"The (?:SAS|WPS) System stopped processing this step because of errors", re.I)
REMOTE = re.compile(r"Remote (?:signon|submit|session)", re.I)
PRINTED_ON_PAGES = re.compile(r"\s*Errors? printed on pages?\b", re.I)
PASS_HOST = re.compile(r"\bhost=\s*(?P<host>[^|\s]+)", re.I)

_FAMILIES = (
    (re.compile(r"z/?OS|OS/?390|MVS", re.I), "z/OS"),
    (re.compile(r"linux|\bLIN\b", re.I), "Linux"),
    (re.compile(r"AIX", re.I), "AIX"),
    (re.compile(r"SunOS|Solaris|\bSUN\b", re.I), "Solaris"),
    (re.compile(r"HP-?UX|\bH[6P]", re.I), "HP-UX"),
    (re.compile(r"OpenVMS|\bVMS", re.I), "OpenVMS"),
    (re.compile(r"darwin|macos", re.I), "macOS"),
    (re.compile(r"\bX64_|\bW32_|\bWIN|NET_|XP_|_PRO\b|_SRV|DSRV|Windows|W64", re.I), "Windows"),
)


def os_of(platform: str) -> str | None:
    """The family of the operating system in the platform's name; None where it is not known."""
    return next((name for pattern, name in _FAMILIES if pattern.search(platform)), None)
