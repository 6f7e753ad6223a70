"""Running the tool on a held target: to write it in full, and for every point and round.

perfkit's own file is proved directly before and after each point. A point after which that fails is
rejected, whatever the tool says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure import safety
from perfkit.measure.engines.engine import LINK, Place, lay_out, measure
from perfkit.measure.fleet.hosts import Fleet
from perfkit.measure.target.identity import descriptor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from perfkit.measure.engines.engine import Engine, PointRun, Tool
    from perfkit.measure.named_target import HeldTarget
    from perfkit.measure.points import Point
    from perfkit.measure.process import Stop, Tick
    from perfkit.measure.record.rundir import RunDirectory
    from perfkit.measure.spec import SweepSpec


@dataclass(frozen=True)
class PointRunner:
    """The tool and the target of one sweep.

    Attributes:
        device: The disk under the target, if it is one of this host.
        read_only: Whether the sweep's points write nothing to the target.
    """

    run: RunDirectory
    engine: Engine
    tool: Tool
    target: HeldTarget
    stop: Stop
    device: str | None
    read_only: bool

    def fill(self, spec: SweepSpec, number: int, tick: Tick) -> None:
        """Write the whole target once, in sequence; RunError where the tool could not."""
        place = _place(self.target)
        plan = self.engine.layout(spec, place, number)
        lay_out(self.tool, plan, place, self.run.layout_folder(), stop=self.stop, tick=tick)

    def measure(
        self, spec: SweepSpec, point: Point, tick: Tick | None = None
    ) -> tuple[PointRun, Path]:
        """Run the tool for one point or round; its result, and the folder that holds it."""
        self.stop.check()
        before = self._proved_before()
        folder, place = self.run.aside(point.name), _place(self.target)
        fleet = self.target if isinstance(self.target, Fleet) else None
        result = measure(
            self.tool,
            self.engine.point(spec, point, place),
            place,
            folder,
            stop=self.stop,
            device=self.device,
            direct=spec.direct,
            ramp_s=spec.ramp_s,
            tick=tick,
            # the hosts prove their files while their results are read here
            ended=partial(fleet.ask_again, wrote=not self.read_only) if fleet else None,
            elsewhere=fleet.samplers(folder) if fleet else (),
            observe=spec.observe,
        )
        return self._proved_after(before, result), folder

    def _proved_before(self) -> Mapping[str, Any] | None:
        """What is proved of our file directly before a point, None of a device.

        The point waits for it: with hosts, for a round trip.
        """
        if not isinstance(self.target, safety.TargetDevice):
            return self.target.check_again()
        if not self.read_only:
            self.target.check_again()
        return None

    def _proved_after(self, before: Mapping[str, Any] | None, result: PointRun) -> PointRun:
        """The result with what was proved around it; rejected where the proof failed."""
        if isinstance(self.target, safety.TargetDevice):
            return result
        after, why = None, None
        try:
            if isinstance(self.target, Fleet):
                after = self.target.answers()
            else:
                after = self.target.check_again(wrote=not self.read_only)
        except (SafetyError, RunError) as problem:
            why = str(problem)
            if not isinstance(self.target, Fleet):
                # the record names no path of this machine, the terminal does
                why = why.replace(f"{self.target.path.parent}/", f"{LINK}/")
        given = "descriptor" if _place(self.target).is_held else "path"
        proof = {"given": given, "before": before, "after": after, "problem": why}
        judged = result.acceptance
        if why:
            reason = why if judged.accepted else f"{judged.reason} ({why})"
            judged = replace(judged, accepted=False, reason=reason)
        return replace(result, acceptance=judged, target=proof)


def _place(target: HeldTarget) -> Place:
    if isinstance(target, Fleet):
        name = target.files[0]
        return Place(target.directory, name, target.addresses, target.given, target.names)
    return Place(target.path.parent, target.path.name, held=descriptor(target.handle))
