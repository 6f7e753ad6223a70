"""The rows of the tables of a log, typed: fields are columns of ``schema.TABLES``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perfkit.sources.sas.block import Block


@dataclass(slots=True, kw_only=True)
class Measured:
    """What a timing block says: None where it prints nothing."""

    form: str | None = None
    real_time_s: float | None = None
    user_cpu_s: float | None = None
    system_cpu_s: float | None = None
    cpu_s: float | None = None
    memory_bytes: float | None = None
    os_memory_bytes: float | None = None
    timestamp: datetime | None = None
    time_source: str | None = None
    timestamp_text: str | None = None
    step_count: int | None = None
    switch_count: int | None = None
    page_faults: int | None = None
    page_reclaims: int | None = None
    page_swaps: int | None = None
    voluntary_context_switches: int | None = None
    involuntary_context_switches: int | None = None
    block_input_operations: int | None = None
    block_output_operations: int | None = None
    excp_count: int | None = None
    buffered_io: int | None = None
    direct_io: int | None = None
    other: str | None = None
    complete: bool | None = None

    def measure(self, block: Block) -> None:
        """Take what a block says; a time before its line is more exact than its Timestamp."""
        for name, value in block.values.items():
            setattr(self, name, value)
        self.form, self.complete = block.form, block.complete
        self.other = "; ".join(block.other) or None
        self.time_source = "timestamp" if self.timestamp is not None else None
        if block.time is not None:
            self.timestamp, self.time_source = block.time, "prefix"


@dataclass(slots=True, kw_only=True)
class Step(Measured):
    """A DATA or PROC step with a block that is not of the usual forms."""

    session: int
    step: int
    line: int
    kind: str
    name: str
    errors: int
    stopped: bool
    cas_server_time_s: float | None
    cas_requests: int | None


@dataclass(slots=True, kw_only=True)
class OtherBlock(Measured):
    """A timing block that is not a step."""

    session: int
    step: int
    line: int
    what: str


@dataclass(slots=True)
class DataSet:
    """A note on observations; its step is known when that has its block."""

    session: int
    line: int
    role: str
    kind: str
    name: str | None
    observations: int | None
    variables: int | None
    step: int | None = None


@dataclass(slots=True)
class Message:
    """An ERROR or WARNING; its step is known when that has its block."""

    session: int
    line: int
    level: str
    code: str | None
    text: str
    step: int | None = None


@dataclass(slots=True, kw_only=True)
class Session(Measured):
    """The session that is being read; times and usage are those of its end."""

    session: int
    line: int
    product: str | None = None
    release: str | None = None
    maintenance: str | None = None
    platform: str | None = None
    os: str | None = None
    host: str | None = None
    site: str | None = None
    site_name: str | None = None
    started: datetime | None = None
    steps: int = 0
    ended: bool = False
    end_line: int | None = None
    initialization_real_time_s: float | None = None
    initialization_cpu_s: float | None = None
    initialization_memory_bytes: float | None = None
    initialization_timestamp: datetime | None = None
    initialized: bool = False
    banner: set[str] = field(default_factory=set)
    forms: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it was met yet."""
        known = (self.banner, self.initialized, self.host, self.started)
        return not (self.steps or self.ended or any(known))

    @property
    def dialect(self) -> str | None:
        """The forms of its blocks."""
        return ", ".join(self.forms) or None

    @property
    def language(self) -> str | None:
        """The languages of their labels."""
        return ", ".join(self.languages) or None

    def initialize(self, block: Block) -> None:
        """Take what the block of the initialisation says."""
        of = Measured()
        of.measure(block)
        self.initialized = True
        self.initialization_real_time_s, self.initialization_cpu_s = of.real_time_s, of.cpu_s
        self.initialization_memory_bytes = of.memory_bytes
        self.initialization_timestamp = of.timestamp


Row = Step | OtherBlock | DataSet | Message | Session
