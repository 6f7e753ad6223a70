"""What a schedule file may say: the typed form of its YAML; every path is relative to the file."""

from __future__ import annotations

import datetime as dt
import re
import sys
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from perfkit.core.errors import StudyError, UsageError, did_you_mean
from perfkit.core.units import parse_duration
from perfkit.formats.yaml_file import Format, line_of, load_model, older
from perfkit.scheduling.calendar import Calendar
from perfkit.scheduling.forms import parse

SCHEDULE_FILE = "schedule.yml"
# perfkit 0.1's say what those of format 1 say
FORMAT = Format(1, {0: lambda _document, _path: []})
_NAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,63}$")

Seconds = Annotated[float, Field(gt=0), BeforeValidator(parse_duration)]

_AGE = re.compile(r"^([1-9]\d*) ?(days?|d|weeks?|w|years?|y)$")
_DAYS = {"d": 1, "w": 7, "y": 365}


def parse_days(text: str) -> int:
    """Days from ``90 days``, ``12 weeks`` or ``1 year`` (365 days); ValueError for all else."""
    match = _AGE.match(str(text))
    if match is None:
        raise ValueError(f"{text!r} is not an age such as 90 days, 12 weeks or 1 year")
    return int(match[1]) * _DAYS[match[2][0]]


Days = Annotated[
    int,
    BeforeValidator(parse_days),
    Field(json_schema_extra={"type": "string", "pattern": _AGE.pattern}),
]


@cache
def _zones() -> set[str]:
    return available_timezones()  # walks through the whole database


def known_zone(name: str) -> str:
    """The name itself; ValueError unless it is a time zone."""
    zones = _zones()
    if name not in zones:
        raise ValueError(f"{name!r} is not a time zone; {did_you_mean(name, sorted(zones))}"[:200])
    return name


ZoneName = Annotated[str, AfterValidator(known_zone)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Sweep(_Part):
    """How this schedule's measurements differ from the study's ``run``."""

    target: Path | None = None
    load: dict[str, list[int]] | None = None
    runtime: str | None = None
    ramp: str | None = None
    repeats: int | None = Field(None, ge=1)
    overwrite: list[str] = Field(
        default_factory=list,
        description="consent to overwrite a device: its model and serial number",
    )

    @field_validator("load")
    @classmethod
    def _one_kind(cls, value: dict[str, list[int]] | None) -> dict[str, list[int]] | None:
        if value is not None and (len(value) != 1 or not all(value.values())):
            raise ValueError("names one kind of load with its values, such as {iodepth: [1, 4]}")
        return value


class Watched(_Part):
    """A folder into which somebody drops evidence; each file goes into one report."""

    folder: Path
    files: list[str] = Field(["*"], min_length=1, description="globs below the folder")
    into: Path = Field(
        Path("incoming"),
        description="folder beside the study that perfkit fills with copies of the new files; the "
        "study's 'evidence' names it, such as 'incoming/*.html'",
    )
    settle: Seconds = Field(60.0, description="a file is complete when unchanged for so long")
    at_least: int = Field(1, ge=1, description="fewer new files than this make no report")
    required: bool = Field(False, description="no new files is a failure, not a quiet night")
    tries: int = Field(3, ge=1, description="after so many failing reports a file is set aside")

    @field_validator("files")
    @classmethod
    def _below(cls, value: list[str]) -> list[str]:
        for pattern in value:
            if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern:
                raise ValueError(f"{pattern!r} is not a glob below the folder")
        return value

    @field_validator("into")
    @classmethod
    def _beside(cls, value: Path) -> Path:
        if value.is_absolute() or ".." in value.parts or value == Path():
            raise ValueError(f"{str(value)!r} is not a folder beside the study")
        return value


class Keep(_Part):
    """What is kept; the baseline is, and whatever a report rests on that is kept."""

    last: int = Field(30, ge=1, description="good reports")
    failed: int = Field(10, ge=0, description="what failing runs left")
    runs: Days | None = Field(
        None, description="measurements by age, such as 90 days; default: while their report is"
    )
    store: Days | None = Field(
        None, description="results in the store by age, such as 1 year; default: all"
    )


class Baseline(_Part):
    """The slots that later ones are held against, by their dates; nothing of them is removed."""

    first: dt.date
    last: dt.date

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.last < self.first:
            raise ValueError(f"first {self.first} comes after last {self.last}")
        return self


class Entry(_Part):
    """One thing that is done again and again."""

    name: str
    study: Path = Field(description="a study file, its folder, or a notebook")
    calendar: str = Field(description="systemd's form (Mon..Fri 06:00) or cron's (0 6 * * 1-5)")
    timezone: ZoneName | None = Field(None, description="such as Europe/Oslo; default: the file's")
    run: (
        Annotated[
            Annotated[bool, Tag("bool")] | Annotated[Sweep, Tag("sweep")],
            Discriminator(lambda value: "bool" if isinstance(value, bool) else "sweep"),
        ]
        | None
    ) = Field(
        None,
        description="measure the study's sweep anew for each slot; default: if the study has one",
    )
    evidence: Watched | None = None
    parameters: dict[str, str | int | float | bool | None] = Field(default_factory=dict)
    anonymise: bool = Field(False, description="as perfkit report --anonymise")
    output: Path | None = Field(None, description="default: the file's; reports are in NAME/DATE")
    store: str | None = Field(
        None, description="a store that gets the evidence and the answers; default: the file's"
    )
    baseline: Baseline | None = None
    margin: float = Field(
        0.05, gt=0, lt=1, description="the smallest change of an answer that matters: 0.05 is 5%"
    )
    keep: Keep = Keep()
    timeout: Seconds = Field(6 * 3600.0, description="for all of a run: 30m, 2h")
    on_result: str | None = Field(
        None, description="a shell command, called with PERFKIT_OUTCOME and others set"
    )

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if not _NAME.match(value):
            raise ValueError(f"{value!r}: use small letters, digits and hyphens")
        return value

    @field_validator("calendar")
    @classmethod
    def _understood(cls, value: str) -> str:
        parse(value)
        return value

    @cached_property
    def when(self) -> Calendar:
        """The calendar as a value."""
        return parse(self.calendar).calendar


class ScheduleModel(_Part):
    """A schedule file."""

    format: Literal[1] = Field(1, description="the form of this file; without it: perfkit 0.1's")
    timezone: ZoneName | None = Field(None, description="of entries that name none")
    output: Path = Field(Path("reports"), description="reports are in OUTPUT/NAME/DATE")
    store: str | None = Field(
        None,
        description="a folder or URL of a store that gets the evidence and the answers of each "
        "slot, for trends",
    )
    entries: list[Entry] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_name_once(self) -> Self:
        names = [entry.name for entry in self.entries]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ValueError(f"two entries are called {min(twice)!r}")
        return self


@dataclass(frozen=True)
class Scheduled:
    """An entry with what it takes from its file: folders that can be used, and a time zone."""

    entry: Entry
    file: Path
    zone: ZoneInfo
    root: Path
    store: str | None = None

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.entry.name

    @property
    def study(self) -> Path:
        """The study, its folder, or the notebook."""
        return self.file.parent / self.entry.study

    @property
    def study_folder(self) -> Path:
        """The folder in which the study's paths begin."""
        return self.study.parent if self.study.suffix else self.study

    @property
    def reports(self) -> Path:
        """Where the entry's reports are."""
        return self.root / self.name

    @property
    def state(self) -> Path:
        """What is known of past slots: beside the schedule, so that it outlives the reports."""
        return self.file.parent / ".perfkit-schedule" / self.name

    @property
    def command(self) -> list[str]:
        """The call that systemd, cron and the daemon make: it does what is due."""
        # -P: a folder or file beside the schedule must not be imported as a module
        argv = [sys.executable, "-P", "-m", "perfkit", "schedule", "run", self.name, "--due"]
        return [*argv, "--file", str(self.file)]

    def in_baseline(self, day: dt.date) -> bool:
        """Whether the slots of a day are those that later ones are held against."""
        held = self.entry.baseline
        return held is not None and held.first <= day <= held.last

    def next_after(self, moment: dt.datetime) -> dt.datetime | None:
        """The first slot after a moment."""
        return self.entry.when.next_after(moment, self.zone)

    def newest_until(self, moment: dt.datetime) -> dt.datetime | None:
        """The last slot at or before a moment."""
        return self.entry.when.newest_until(moment, self.zone)

    def date_of(self, slot: dt.datetime) -> str:
        """The slot's date on the entry's wall clock, with the time where a day has several."""
        local = slot.astimezone(self.zone)
        if self.entry.when.once_a_day:
            return local.strftime("%Y-%m-%d")
        return local.strftime("%Y-%m-%dT%H%M" + ("" if local.second == 0 else "%S"))


def open_schedule(path: Path) -> list[Scheduled]:
    """The entries of a schedule file (or of the ``schedule.yml`` of a folder).

    Raises StudyError naming file, line and place of the first mistake.
    """
    file = (path / SCHEDULE_FILE if path.is_dir() else path).resolve()
    if not file.exists():
        raise StudyError(
            file,
            "there is no such file; name a schedule with --file, or write one: name, study and "
            "calendar of each entry (docs/scheduling.md begins with an example)",
        )
    model = load_model(file, ScheduleModel, FORMAT)
    return [_scheduled(file, model, number) for number in range(len(model.entries))]


def outdated(entries: list[Scheduled]) -> list[str]:
    """What to write into their file where it is from an older perfkit; empty for one of ours."""
    return older(entries[0].file, FORMAT)


def chosen(path: Path, name: str | None) -> list[Scheduled]:
    """The entries of a schedule file, or the one of that name; UsageError where there is none."""
    entries = open_schedule(path)
    found = [entry for entry in entries if name in {None, entry.name}]
    if not found:
        known = [entry.name for entry in entries]
        raise UsageError(
            f"there is no entry {name!r} in {entries[0].file}; {did_you_mean(str(name), known)}"
        )
    return found


def _scheduled(file: Path, model: ScheduleModel, number: int) -> Scheduled:
    entry = model.entries[number]
    zones = {
        "calendar": parse(entry.calendar).zone,
        "timezone": entry.timezone or model.timezone,
    }
    place: list[Any] = ["entries", number, "calendar"]
    if all(zones.values()) and zones["calendar"] != zones["timezone"] and entry.timezone:
        raise StudyError(
            file,
            f"entries[{number}].calendar: says {zones['calendar']}, timezone says "
            f"{zones['timezone']}",
            line_of(file, place),
        )
    name = zones["calendar"] or zones["timezone"]
    if name is None:
        raise StudyError(
            file,
            f"entries[{number}].timezone: is missing, here or for the whole file; "
            "a calendar means nothing without it",
            line_of(file, place[:2]),
        )
    try:
        known_zone(name)
    except ValueError as problem:
        raise StudyError(
            file, f"entries[{number}].calendar: {problem}", line_of(file, place)
        ) from problem
    root = file.parent / (entry.output or model.output)
    store = entry.store or model.store
    return Scheduled(entry, file, ZoneInfo(name), root, store and _placed(store, file.parent))


def _placed(store: str, folder: Path) -> str:
    """A store's place: a URL as it is, a folder (of Delta Lake, too) seen from the file's."""
    if "://" in store:
        return store
    delta = "delta:" if store.startswith("delta:") else ""
    return f"{delta}{folder / store.removeprefix('delta:')}"
