"""A device as a target: held for this run, and checked again before every destructive point."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure.probe.ask import target as look
from perfkit.measure.probe.read import Facts
from perfkit.measure.safety.judge import Consent, check_device, check_same, identity


@dataclass(frozen=True)
class TargetDevice:
    """The device that is measured, held exclusively for this run.

    Attributes:
        path: The device node, links resolved.
        size: Bytes of it that are measured.
        facts: What the probe found before it was claimed.
        consent: What the user agreed to; None: nothing may be written.
        handle: The claim.
        laid_out: Whether this run has written all of it.
        state: The run's file that says so, for the next call; None: no file.
    """

    path: Path
    size: int
    facts: Facts
    consent: Consent | None
    handle: int
    laid_out: bool
    state: Path | None = None

    @property
    def kept(self) -> bool:
        """Nothing of perfkit's stays on a device."""
        return False

    def mark_laid_out(self) -> None:
        """Record that every block has been written, and on which device."""
        if self.state:
            write_note(self.state, _layout(self.facts, self.size))

    def remove(self) -> None:
        """There is nothing to remove."""

    def allocated_bytes(self) -> int:
        """A device has its blocks from the beginning."""
        return self.size

    def check_again(self) -> None:
        """Directly before a destructive point: every rule again, and still the same device.

        Raises SafetyError.
        """
        if self.consent is None:
            raise SafetyError(f"{self.path}: nobody agreed to overwrite it")
        now = look(str(self.path), held=True)
        if os.fstat(self.handle).st_rdev != self.path.stat().st_rdev:
            raise SafetyError(f"{self.path}: the name now leads to another device")
        check_same(self.facts, now)
        check_device(now, [self.consent.given])


@contextlib.contextmanager
def claimed_device(
    target: Path,
    consents: Sequence[str],
    *,
    writes: bool,
    size: int | None = None,
    state: Path | None = None,
) -> Iterator[TargetDevice]:
    """A device, checked, agreed to and claimed: while it is held, nobody can mount or claim it.

    ``size`` is how many bytes of it are measured, None: all. Without ``writes`` no consent is
    needed and nothing is claimed, for reads destroy nothing. ``state`` is where the run notes that
    it has written all of the device; a device that will not be written counts as laid out as it is.

    Raises:
        SafetyError: a reason against writing, no consent that fits, or a device that is smaller.
        RunError: another run claimed it since.
    """
    facts = look(str(target))
    if facts["kind"] != "device":
        raise SafetyError(f"target {target}: not a block device")
    whole = facts.get("size_bytes")
    if not whole or (size or 0) > whole:
        raise SafetyError(f"target {target}: {whole} bytes, of which {size} were to be measured")
    consent = check_device(facts, consents) if writes else None
    path = Path(facts["path"])
    handle = _claim(path, exclusive=writes)
    try:
        laid_out = not writes or read_note(state) == _layout(facts, size or whole)
        found = TargetDevice(path, size or whole, facts, consent, handle, laid_out, state)
        if writes:
            found.check_again()
        yield found
    finally:
        os.close(handle)


def _layout(facts: Facts, size: int) -> Facts:
    return {"identity": identity(facts), "laid_out_bytes": size}


def write_note(file: Path, layout: Facts) -> None:
    """Note in a run that a device, or one of each host, was written in full."""
    file.write_text(json.dumps(layout) + "\n", encoding="utf-8")


def read_note(file: Path | None) -> object:
    """What is noted there; None where there is nothing."""
    try:
        return json.loads(file.read_text(encoding="utf-8")) if file else None
    except (OSError, ValueError):
        return None


def _claim(path: Path, *, exclusive: bool) -> int:
    # read-only: closing a device that was open for writing makes udev probe it
    flags = os.O_RDONLY | os.O_CLOEXEC | (os.O_EXCL if exclusive else 0)
    try:
        return os.open(path, flags)
    except OSError as problem:
        if problem.errno == errno.EBUSY:
            raise RunError(f"{path}: something else has just claimed this device") from problem
        raise SafetyError(f"{path}: {problem.strerror}") from problem
