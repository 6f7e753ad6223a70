"""The text form that mpstat and sar share: blocks of rows that begin with the time of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from perfkit.sources.host.clock import ROW_TIME, Stamp, row_stamp
from perfkit.sources.host.record import Recording, Row, Track, last_line, lines_of

_RESTART = re.compile(r"LINUX[ -]+RESTART(?:\s+\((?P<cpus>\d+) CPU\))?\s*$")
_LABEL = re.compile(r"(?P<label>[^\d\s][^:]*?) ?:(?=\s)|Summary(?=\s)")
"""Average: in any language, Summary: of sar -F, and Summary of its USB devices (sar -m USB, -A)."""

NUMBER = re.compile(r"-?(\d+([.,]\d+)?[BkMGTP%]?|nan|inf)$")
"""A cell that is a value, and no part of a name."""

_COMMENT = "COM "


_NOT_ALWAYS = {"CORE", "SOCK"}
"""mpstat -T leaves these cells empty in some rows: they cannot be told from the others."""


@dataclass(frozen=True)
class Block:
    """A kind of block: its table, the heading of what tells rows apart, and columns it must have.

    ``key`` None: one row a report.
    """

    table: str
    key: str | None
    needs: frozenset[str]

    def fits(self, heads: Sequence[str]) -> bool:
        """Whether column headings are of this kind."""
        if set(heads) & _NOT_ALWAYS:
            return False
        return (self.key is None or self.key in heads) and self.needs <= set(heads)


@dataclass
class _Open:
    """The block that rows belong to now."""

    block: Block | None
    names: tuple[str, ...]
    key_last: bool
    track: Track | None
    stamp: Stamp | None = None
    """The time beside the headings: the end of the report before, where the interval began."""


def split_row(
    cells: list[str], count: int, *, key_last: bool, keyed: bool = True
) -> tuple[tuple[str, ...], str] | None:
    """The values of a row and what tells it apart; None where their number is wrong."""
    if len(cells) < count + keyed or (len(cells) > count and not keyed):
        return None
    words = cells[count:] if key_last else cells[: len(cells) - count]
    values = cells[:count] if key_last else cells[len(cells) - count :]
    odd = any(NUMBER.match(word) for word in words[1:])
    return None if odd else (tuple(values), " ".join(words))


def read_rows(tool: str, text: str, path: str, blocks: Sequence[Block]) -> Recording:
    """The recording in a text of mpstat or sar.

    Raises ParseError where it is none, or has none of the given blocks.
    """
    return _Reader(tool, path, blocks).read(text)


class _Reader:
    def __init__(self, tool: str, path: str, blocks: Sequence[Block]) -> None:
        self.recording = Recording(tool, path)
        self.blocks = blocks
        self.open: _Open | None = None
        self.last = 0
        self.whole = True
        self.cut = False

    def read(self, text: str) -> Recording:
        lines = lines_of(text)
        self.whole, self.last = text.endswith("\n"), last_line(lines)
        for number, line in enumerate(lines, 1):
            if line.strip():
                self._line(line.rstrip(), number)
        if self.recording.header is None:
            raise self.recording.fault(f"no output of {self.recording.tool}: it begins differently")
        self._drop_short()
        self.recording.require_rows()
        return self.recording

    def _line(self, line: str, number: int) -> None:
        if self.recording.begin(line, number):
            self.open = None
            return
        if self.recording.header is None:
            if number > 1 or not line.startswith("$"):
                tool = self.recording.tool
                raise self.recording.fault(f"no output of {tool}: it begins differently", number)
            return
        time = ROW_TIME.match(line)
        label = None if time else _LABEL.match(line)
        if time:
            stamp = row_stamp(time["time"])
            if stamp is None:
                raise self.recording.fault(f"{time['time']!r} is not a time", number)
            self._rest(line[time.end() :].strip(), stamp, number)
        elif label:
            self._rest(line[label.end() :].strip(), None, number)
        elif not self._cut_off(None, number):
            raise self.recording.fault(
                f"not a line of {self.recording.tool}: {line.strip()[:60]!r}", number
            )

    def _rest(self, rest: str, stamp: Stamp | None, number: int) -> None:
        """Take what follows the time or label: a restart, a comment, column heads, or a row."""
        restart = _RESTART.match(rest)
        if restart:
            self.recording.restart(stamp, restart["cpus"])
            self.open = None
        elif rest.startswith(_COMMENT):
            self.recording.unparsed["comments"] = "sadc's comments are not read"
        elif rest and not any(NUMBER.match(word) for word in rest.split()):
            # heads hold no number at all, and a row at least one
            self._heading(rest.split(), stamp)
        elif self.open is None:
            if not self._cut_off(stamp, number):
                raise self.recording.fault(
                    f"a row without a header above it: {rest[:60]!r}", number
                )
        else:
            self._row(rest.split(), stamp, number)

    def _heading(self, heads: list[str], stamp: Stamp | None) -> None:
        block = next((block for block in self.blocks if block.fits(heads)), None)
        if block is None:
            self.recording.pass_over(heads)
            self.open = _Open(None, (), False, None)
            return
        track = self.recording.track(block.table)
        if stamp and not track.stamps:
            track.start = stamp
        track.in_report.clear()
        names = tuple(head for head in heads if head != block.key)
        self.open = _Open(block, names, heads[-1] == block.key, track, stamp)

    def _row(self, cells: list[str], stamp: Stamp | None, number: int) -> None:
        here = self.open
        if here is None or here.block is None or here.track is None:
            return
        keyed = here.block.key is not None
        parts = split_row(cells, len(here.names), key_last=here.key_last, keyed=keyed)
        if parts is None:
            if not self._cut_off(stamp, number):
                wanted = len(here.names) + keyed
                raise self.recording.fault(f"{len(cells)} cells where {wanted} belong", number)
            return
        if number == self.last and not self.whole:
            self._drop(stamp, number)
            return
        values, word = parts
        keys: tuple[object, ...] = () if here.block.key is None else (word,)
        if here.block.table == "devices":
            keys = (word, False)
        if stamp is None:  # the means printed at the end
            return
        # of no interval: what mpstat prints without one, means since the host was started
        since_boot = self.recording.tool == "mpstat" and here.stamp == stamp
        sample = self._sample(here.track, stamp, keys, since_boot=since_boot)
        here.track.part(here.names).rows.append(Row(sample, keys, values, number))

    @staticmethod
    def _sample(track: Track, stamp: Stamp, keys: tuple[object, ...], *, since_boot: bool) -> int:
        """The report a row belongs to: a new one begins with a new time or a key met before."""
        again = keys in track.in_report
        if not track.stamps or track.stamps[-1] != stamp or again or not track.in_report:
            track.report(stamp, since_boot=since_boot)
        track.in_report.add(keys)
        return len(track.stamps)

    def _cut_off(self, stamp: Stamp | None, number: int) -> bool:
        """Whether a line that is not whole is the end of a file that was cut off."""
        if number != self.last:
            return False
        self._drop(stamp, number)
        return True

    def _drop(self, stamp: Stamp | None, number: int) -> None:
        """Leave the report of the last line out, if rows of it were read."""
        self.recording.warnings.append(f"line {number}: the last report is cut off and left out")
        track = self.open.track if self.open else None
        if track and track.in_report and track.stamps and track.stamps[-1] == stamp:
            track.drop_last()

    def _drop_short(self) -> None:
        """Leave the last report out where rows are missing that the one before it has."""
        track = self.open.track if self.open else None
        if track is None or not track.parts or not track.parts[-1].rows:
            return
        rows, last = track.parts[-1].rows, len(track.stamps)
        if rows[-1].line != self.last:
            return
        keys = {n: {row.keys for row in rows if row.sample == n} for n in (last - 1, last)}
        if keys[last] < keys[last - 1]:
            track.drop_last()
            self.recording.warnings.append(
                f"line {self.last}: the last report is cut off and left out"
            )
