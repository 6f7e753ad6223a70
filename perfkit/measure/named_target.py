"""A target as the user names it, and how a sweep gets hold of it.

A sweep holds its target twice: against other sweeps, since two would measure each other
(``alone``), and as something it may write to (``claimed``): a file of perfkit's own, here or on
every host, or a device.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import SafetyError
from perfkit.measure.engines.engine import Tool, ask_to_stop
from perfkit.measure.fleet.devices import DeviceFleet
from perfkit.measure.fleet.hosts import Fleet
from perfkit.measure.probe.ask import target as look
from perfkit.measure.probe.read import Facts
from perfkit.measure.record.rundir import locked_directory, locked_name
from perfkit.measure.safety.devices import TargetDevice, claimed_device
from perfkit.measure.safety.files import TargetFile, claimed_file
from perfkit.measure.safety.judge import check_device

if TYPE_CHECKING:
    from perfkit.measure.spec import SweepSpec

HeldTarget = TargetFile | TargetDevice | Fleet | DeviceFleet
"""What a sweep holds while it measures."""


@dataclass(frozen=True)
class NamedTarget:
    """A directory or a block device of this host, or one on each host of a fleet.

    Attributes:
        spec: The sweep that is to be measured on it.
        path: Its resolved path; of a fleet, the path on every host.
        label: Its path from the runs' folder, by which records name it.
        consents: Devices that the user agreed to overwrite.
        fleet: The load generators; None: this host.
        number: Which of the load's targets it is, from 1; 0: the background load's.
        file: Which of the target's files, from 1.
    """

    spec: SweepSpec
    path: Path
    label: str
    consents: tuple[str, ...]
    fleet: Fleet | DeviceFleet | None
    number: int = 1
    file: int = 1

    @property
    def name(self) -> str:
        """Its name in records and messages: "target 2", "target 1, file 3"."""
        of = f"target {self.number}" if self.number else "background target"
        return f"{of}, file {self.file}" if self.spec.files > 1 and self.number else of

    @property
    def size(self) -> int:
        """Bytes of it that are used."""
        beside = self.spec.background
        return beside.file_size if beside and not self.number else self.spec.file_size

    @property
    def content(self) -> str:
        """What is written into its file, as part of that file's name."""
        return self.spec.content + (f"-f{self.file}" if self.file > 1 else "")

    @property
    def on_device(self) -> bool:
        """Whether a device is measured, here or on every host."""
        if self.fleet:
            return isinstance(self.fleet, DeviceFleet)
        return self.path.is_block_device()

    @property
    def written(self) -> bool:
        """Whether the points write to it."""
        beside = self.spec.background
        if beside and not self.number:
            return "write" in beside.directions
        return not self.spec.read_only

    @property
    def overwritten(self) -> bool:
        """Whether a device is overwritten: by the load, or by writing it in full before."""
        return self.written or bool(self.consents)

    def check(self) -> None:
        """SafetyError for a device that is to be written without consent, or against a rule."""
        if self.fleet:
            self.fleet.check(self.fleet.facts())
        elif self.on_device and self.overwritten:
            check_device(look(str(self.path)), self.consents)

    def check_kind(self) -> None:
        """SafetyError for what this kind of target cannot do."""
        if self.spec.trim and self.number and not self.on_device:
            raise SafetyError(f"target {self.path}: trim: only devices are trimmed; name one")
        if self.on_device and self.spec.files > 1 and self.number:
            raise SafetyError(f"target {self.path}: files: a device holds no files; leave it out")
        if self.spec.trim and self.number:
            for host, facts in self._facts():
                if not facts.get("discard_bytes"):
                    raise SafetyError(
                        f"{host}target {self.path}: trim: this device does not support it"
                    )

    def _facts(self) -> Iterator[tuple[str, Facts]]:
        """The target's facts, here or on each host, with the beginning of a message about them."""
        if not self.fleet:
            yield "", look(str(self.path))
            return
        for label, found in self.fleet.facts().items():
            yield f"{label}: ", found["target"]

    def check_fills(self) -> None:
        """Refuse to write a device that is only read: SafetyError, rather than silently not."""
        if not self.on_device or self.overwritten:
            return
        asked = {
            "fills": f"fills: {self.spec.fills}" if self.spec.fills > 1 else "",
            "data": "" if self.spec.data.unique else "data",
            "verify": "verify" if self.spec.verify and self.number else "",
        }
        for name, words in asked.items():
            if words:
                raise SafetyError(
                    f"target {self.path}: {words} asks for the device to be written, which nobody "
                    f"agreed to; agree with --overwrite, or leave {name} out to read the device as "
                    "it is"
                )

    def alone(self) -> AbstractContextManager[None]:
        """Hold the target against other sweeps; a device is held by its claim."""
        if self.fleet:
            return locked_name(f"{self.path} {sorted(self.fleet.hosts)}")
        return nullcontext() if self.on_device else locked_directory(self.path)

    def claimed(self, tool: Tool, laid_out: Path) -> AbstractContextManager[HeldTarget]:
        """Claim what is measured; ``laid_out`` is where a device is noted as written in full."""
        if self.fleet:
            if isinstance(self.fleet, DeviceFleet):
                self.fleet.state = laid_out
            return _claimed_fleet(self.fleet, tool)
        if not self.on_device:
            return claimed_file(self.path, self.size, direct=self.spec.direct, content=self.content)
        return claimed_device(
            self.path, self.consents, writes=self.overwritten, state=laid_out, size=self.size
        )


@contextmanager
def _claimed_fleet(fleet: Fleet | DeviceFleet, tool: Tool) -> Iterator[Fleet | DeviceFleet]:
    """Perfkit's files, or the devices, on every host.

    What a killed sweep left running there is stopped before.
    """
    if fleet.server.interrupt:
        ask_to_stop(tool, fleet.server.interrupt(fleet.addresses))
    try:
        fleet.open()
        fleet.claim()
        yield fleet
    finally:
        fleet.close()
