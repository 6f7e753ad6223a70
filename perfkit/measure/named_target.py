"""The target as the user names it, and how a sweep gets hold of it.

A sweep holds its target twice: against other sweeps, since two would measure each other
(``alone``), and as something it may write to (``claimed``): a file of perfkit's own, here or on
every host, or a device.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perfkit.core.errors import SafetyError
from perfkit.measure import safety
from perfkit.measure.engines.engine import ask_to_stop
from perfkit.measure.fleet.hosts import Fleet
from perfkit.measure.probe.ask import target as look
from perfkit.measure.record.rundir import locked_directory, locked_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from perfkit.measure.engines.engine import Tool
    from perfkit.measure.spec import SweepSpec

HeldTarget = safety.TargetFile | safety.TargetDevice | Fleet
"""What a sweep holds while it measures."""


@dataclass(frozen=True)
class NamedTarget:
    """A directory or a block device of this host, or a directory on each host of a fleet.

    Attributes:
        spec: The sweep that is to be measured on it.
        path: Its resolved path; of a fleet, the path on every host.
        label: Its path from the runs' folder, by which records name it.
        consents: Devices that the user agreed to overwrite.
        fleet: The load generators; None: this host.
    """

    spec: SweepSpec
    path: Path
    label: str
    consents: tuple[str, ...]
    fleet: Fleet | None

    @property
    def on_device(self) -> bool:
        """Whether a device of this host is measured."""
        return not self.fleet and self.path.is_block_device()

    @property
    def overwritten(self) -> bool:
        """Whether a device is overwritten: by the load, or by writing it in full before."""
        return safety.destructive(
            self.spec.read_percent,
            drain=self.spec.drain is not None,
            lay_out=bool(self.consents),
        )

    def check(self) -> None:
        """SafetyError for a device that may not be measured so; nothing is claimed or written.

        Raised where a device is to be written without consent, or against a rule, and where one
        that is only read is asked to be filled.
        """
        self.check_fills()
        if self.on_device and self.overwritten:
            safety.check_device(look(str(self.path)), self.consents)

    def check_fills(self) -> None:
        """Refuse to fill a device that is only read: SafetyError, rather than silently no fill."""
        if not self.on_device or self.overwritten:
            return
        asked = {
            "fills": f"fills: {self.spec.fills}" if self.spec.fills > 1 else "",
            "data": "" if self.spec.data.unique else "data",
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
            return _claimed_fleet(self.fleet, tool)
        if not self.on_device:
            return safety.claimed_file(
                self.path, self.spec.file_size, direct=self.spec.direct, content=self.spec.content
            )
        return safety.claimed_device(
            self.path,
            self.consents,
            writes=self.overwritten,
            state=laid_out,
            size=self.spec.file_size,
        )


@contextmanager
def _claimed_fleet(fleet: Fleet, tool: Tool) -> Iterator[Fleet]:
    """Perfkit's files on every host, once what a killed sweep left running there has stopped."""
    if fleet.server.interrupt:
        ask_to_stop(tool, fleet.server.interrupt(fleet.addresses))
    try:
        fleet.open()
        fleet.claim()
        yield fleet
    finally:
        fleet.close()
