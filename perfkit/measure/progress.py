"""The events of a sweep, and three ways to show them.

``run_sweep`` calls ``progress(event)`` with the events below. Showing progress can never break a
measurement: after its first error the function is not called again.
"""

from __future__ import annotations

import html
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from perfkit.core.errors import UsageError, did_you_mean
from perfkit.core.units import NULL_TEXT, Format, format_size, time_format


@dataclass(frozen=True)
class SweepStarted:
    """The sweep begins: points in all, and how many of them an earlier call has measured.

    ``path`` is the run directory, by which an event is marked meanwhile.
    """

    run_id: str
    points: int
    measured: int
    seconds_left: float
    path: str | None = None


@dataclass(frozen=True)
class LeftOver:
    """Something in the target that looks like perfkit's and is not provably so: it stays."""

    path: str
    why: str


@dataclass(frozen=True)
class LayoutProgress:
    """Bytes of the target file that are written."""

    done_bytes: int
    total_bytes: int


@dataclass(frozen=True)
class WarmUpRound:
    """A round of a warm-up is over, and what it showed."""

    number: int
    at_most: int
    of: str
    value: float


@dataclass(frozen=True)
class Verifying:
    """After the last point so many bytes are written once more, and read back by checksums."""

    total_bytes: int


@dataclass(frozen=True)
class RoundMeasured:
    """A round towards steady state is measured; the ratios are None before the fifth."""

    number: int
    at_most: int
    metric: str
    value: float
    range_ratio: float | None
    slope_ratio: float | None
    attained: bool


@dataclass(frozen=True)
class SearchStep:
    """Where a latency is reached, None: beyond the loads so far; ``load`` is measured next."""

    kind: str
    limit_s: float
    kept: int | None
    missed: int | None
    load: int | None


@dataclass(frozen=True)
class PointStarted:
    """A point begins; ``number`` counts from 1 over all points of the sweep."""

    name: str
    number: int
    points: int
    seconds_left: float


@dataclass(frozen=True)
class PointProgress:
    """A point is running: seconds since its beginning, and to the end of the sweep."""

    name: str
    number: int
    points: int
    elapsed_s: float
    seconds_left: float


@dataclass(frozen=True)
class PointAccepted:
    """A point is measured and valid."""

    name: str
    number: int
    points: int
    iops: float | None
    lat_mean_s: float | None
    warnings: tuple[str, ...]
    seconds_left: float


@dataclass(frozen=True)
class PointRejected:
    """A point did not prove itself valid: it is measured ``again``, or the sweep stops."""

    name: str
    reason: str
    again: bool = False


@dataclass(frozen=True)
class SweepEnded:
    """The last event, always: all points are measured, or the sweep stopped (signal, error).

    ``kept_file`` is the target file if it stays on the disk. ``turn``: this call has measured its
    part, and it is the turn of other sweeps.
    """

    run_id: str
    points: int
    measured: int
    kept_file: str | None = None
    turn: bool = False

    @property
    def complete(self) -> bool:
        """Whether every point is measured."""
        return self.measured == self.points


Event = (
    SweepStarted
    | LeftOver
    | LayoutProgress
    | WarmUpRound
    | Verifying
    | RoundMeasured
    | SearchStep
    | PointStarted
    | PointProgress
    | PointAccepted
    | PointRejected
    | SweepEnded
)
Progress = Callable[[Event], None]


def guarded(progress: Progress) -> Progress:
    """The same function, silent after its first error: the measurement must go on."""
    broken = False

    def tell(event: Event) -> None:
        nonlocal broken
        if not broken:
            try:
                progress(event)
            except Exception:  # noqa: BLE001 - whatever it is, the measurement goes on
                broken = True

    return tell


def silent(_event: Event) -> None:
    """Show nothing."""


def duration_text(seconds: float) -> str:
    """Seconds for people: "45 s", "3 min 20 s", "1 h 05 min"."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{whole} s"


def describe(event: Event) -> str | None:
    """The event as one line; None for events that only move a bar."""
    words = _WORDS.get(type(event))
    return words(event) if words else None


def _started(event: SweepStarted) -> str:
    known = f", {event.measured} of them measured before" if event.measured else ""
    left = duration_text(event.seconds_left)
    points = "1 point" if event.points == 1 else f"{event.points} points"
    mark = f"perfkit mark {shlex.quote(event.path)} 'pulled path A'" if event.path else ""
    how = f"; note an event meanwhile: {mark}" if mark else ""
    return f"run {event.run_id}: {points}{known}, about {left} to go{how}"


def _accepted(event: PointAccepted) -> str:
    latency = event.lat_mean_s
    shown = NULL_TEXT if latency is None else time_format(latency).show(latency).text
    iops = Format("IOPS").show(event.iops).text
    marks = "".join(f"; warning: {text}" for text in event.warnings)
    return f"[{event.number}/{event.points}] {event.name}: {iops}, mean latency {shown}{marks}"


def _round(event: RoundMeasured) -> str:
    shown = f"{event.value:,.0f} IOPS"
    if event.metric != "iops":
        shown = f"mean latency {time_format(event.value).show(event.value).text}"
    text = f"round {event.number} of at most {event.at_most}: {shown}"
    if event.range_ratio is None or event.slope_ratio is None:
        return text
    state = "steady" if event.attained else "not steady yet"
    return f"{text}; {state}: range {event.range_ratio:.1%}, slope {event.slope_ratio:.1%}"


def _search(event: SearchStep) -> str:
    limit = time_format(event.limit_s).show(event.limit_s).text
    if event.missed is None:
        where = f"{event.kept} and all below keep a mean latency of {limit}"
    elif event.kept is None:
        where = f"{event.missed} misses a mean latency of {limit}"
    else:
        where = f"{event.kept} keeps a mean latency of {limit}, {event.missed} misses it"
    return f"search: {event.kind} {where}" + (f"; next {event.load}" if event.load else "")


def _ended(event: SweepEnded) -> str:
    if event.complete:
        what = "its one point is" if event.points == 1 else f"all {event.points} points"
        return f"run {event.run_id}: {what} measured"
    if event.turn:
        return f"run {event.run_id}: {event.measured} of {event.points} points measured, in turns"
    kept = f" ({event.kept_file} is kept for it)" if event.kept_file else ""
    return (
        f"run {event.run_id}: stopped with {event.measured} of {event.points} points; "
        f"the next call measures the rest{kept}"
    )


_WORDS: Mapping[type, Callable[[Any], str]] = {
    SweepStarted: _started,
    LeftOver: lambda event: (
        f"{event.path}: neither used nor removed, since nothing proves that it is perfkit's "
        f"({event.why}); remove it if it is not needed"
    ),
    WarmUpRound: lambda event: (
        f"warm-up, round {event.number} of at most {event.at_most}: {event.value:,.4g} {event.of}"
    ),
    Verifying: lambda event: f"verifying {format_size(event.total_bytes)}",
    RoundMeasured: _round,
    SearchStep: _search,
    PointAccepted: _accepted,
    PointRejected: lambda event: (
        f"{event.name}: rejected: {event.reason}{'; it is measured again' if event.again else ''}"
    ),
    SweepEnded: _ended,
}


def _status(event: Event) -> tuple[float, str] | None:
    """How far the bar stands (0 to 1) and the words beside it; None leaves them as they are."""
    if isinstance(event, LayoutProgress):
        size = f"{format_size(event.done_bytes)} of {format_size(event.total_bytes)}"
        return event.done_bytes / event.total_bytes, f"writing the target file: {size}"
    if isinstance(event, RoundMeasured):
        return event.number / event.at_most, _round(event)
    if isinstance(event, PointStarted | PointProgress):
        done = (event.number - 1) / event.points
        left = f"{duration_text(event.seconds_left)} left"
        return done, f"point {event.number} of {event.points}: {event.name}, {left}"
    if isinstance(event, PointAccepted):
        return event.number / event.points, f"{duration_text(event.seconds_left)} left"
    return None


def lines(stream: TextIO | None = None) -> Progress:
    """One plain line per event, for logs and pipes; ``stream`` is stderr by default."""
    layout_told = False

    def tell(event: Event) -> None:
        nonlocal layout_told
        text = describe(event)
        if isinstance(event, LayoutProgress) and not layout_told:
            layout_told = True
            text = f"writing the target file: {format_size(event.total_bytes)}"
        if text and isinstance(event, PointAccepted) and event.number < event.points:
            text += f"; {duration_text(event.seconds_left)} left"
        if text:
            out = stream or sys.stderr
            out.write(text + "\n")
            out.flush()

    return tell


def for_terminal() -> Progress:
    """A bar with the time left on stderr, and a line for each point."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    bar = Progress(BarColumn(30), TextColumn("{task.description}", markup=False), console=console)
    task = bar.add_task("", total=1.0)

    def tell(event: Event) -> None:
        if isinstance(event, SweepStarted):
            bar.start()
        status = _status(event)
        if status:
            bar.update(task, completed=status[0], description=status[1])
        if isinstance(event, SweepEnded):
            bar.update(task, visible=False)
            bar.stop()
        text = describe(event)
        if text:
            console.print(text, markup=False, highlight=False)

    return tell


def for_notebook() -> Progress:
    """A bar in the cell's output that is updated in place, and ends as one line of text.

    The last form holds no time, so that a notebook executed again on the same run shows the same.
    """
    from IPython.display import display

    handle: Any = None

    def tell(event: Event) -> None:
        nonlocal handle
        status = _status(event)
        if isinstance(event, SweepStarted):
            handle = display(_Shown(describe(event) or ""), display_id=True)
        elif isinstance(event, SweepEnded | PointRejected):
            handle.update(_Shown(describe(event) or ""))
        elif status:
            handle.update(_Shown(status[1], status[0]))

    return tell


@dataclass(frozen=True)
class _Shown:
    text: str
    share: float | None = None

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        words = html.escape(self.text)
        bar = "" if self.share is None else f'<progress value="{self.share:.4f}"></progress> '
        return {"text/html": f"<div>{bar}{words}</div>", "text/plain": self.text}


_CHOICES: Mapping[str, Callable[[], Progress]] = {
    "bar": for_terminal,
    "lines": lines,
    "notebook": for_notebook,
    "none": lambda: silent,
}


def choose() -> Progress:
    """The display that fits where perfkit runs: notebook, terminal, or plain lines on stderr.

    ``PERFKIT_PROGRESS`` (bar, lines, notebook, none) overrides. UsageError for another value.
    """
    wanted = os.environ.get("PERFKIT_PROGRESS")
    if wanted:
        if wanted not in _CHOICES:
            raise UsageError(f"PERFKIT_PROGRESS={wanted!r}; {did_you_mean(wanted, list(_CHOICES))}")
        return _CHOICES[wanted]()
    if _in_kernel():
        return for_notebook()
    return for_terminal() if sys.stderr.isatty() else lines()


def _in_kernel() -> bool:
    """Whether this is a Jupyter kernel (IPython in a terminal has none)."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None
