"""Running the tool on held targets: to write them in full, and for every point and round.

perfkit's own files are proved directly before and after each point. A point after which that fails
is rejected, whatever the tool says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import RunError, SafetyError
from perfkit.measure.engines.engine import Engine, PointRun, Tool, measure, work
from perfkit.measure.engines.places import Places
from perfkit.measure.probe.events import MARKS
from perfkit.measure.process import Stop, Tick

if TYPE_CHECKING:
    from perfkit.measure.points import Point
    from perfkit.measure.record.rundir import RunDirectory
    from perfkit.measure.spec import SweepSpec
    from perfkit.measure.targets import HeldTargets


@dataclass(frozen=True)
class PointRunner:
    """The tool and the targets of one sweep.

    Attributes:
        devices: The disks under the load's targets, as far as they are of this host.
        beside: Those under the background load's.
    """

    run: RunDirectory
    engine: Engine
    tool: Tool
    targets: HeldTargets
    stop: Stop
    devices: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def fill(self, spec: SweepSpec, places: Places, number: int, tick: Tick) -> None:
        """Write all of the places once, in sequence; RunError where the tool could not."""
        first = places.every[0]
        work(
            self.tool,
            self.engine.layout(spec, places, number),
            places,
            self.run.emptied("layout"),
            what=f"laying out {first.folder / first.name}",
            stop=self.stop,
            tick=tick,
        )

    def verify(self, spec: SweepSpec, tick: Tick) -> str | None:
        """Write the load's space by blocks that can be checked, read them back: what is wrong."""
        places, folder = self.targets.places(), self.run.emptied("verify")
        self.targets.prove(after=False)
        if self.engine.verification is None:
            raise RunError(f"verify: {self.engine.name} cannot do this")
        plans = self.engine.verification(spec, places)
        for name, plan in zip(("write", "read"), plans, strict=True):
            (folder / name).mkdir()
            try:
                work(self.tool, plan, places, folder / name, what=name, stop=self.stop, tick=tick)
            except RunError as problem:
                return str(problem)
        return None

    def measure(
        self, spec: SweepSpec, point: Point, tick: Tick | None = None
    ) -> tuple[PointRun, Path]:
        """Run the tool for one point or round; its result, and the folder that holds it."""
        self.stop.check()
        # the point waits for it: with hosts, for a round trip
        before = self.targets.prove(after=False)
        folder, places = self.run.aside(point.name), self.targets.places()
        fleets = self.targets.fleets
        result = measure(
            self.tool,
            self.engine.point(spec, point, places),
            places,
            folder,
            stop=self.stop,
            devices=self.devices,
            beside=self.beside,
            direct=spec.direct,
            ramp_s=spec.ramp_s,
            runtime_s=spec.runtime_s,
            tick=tick,
            # the hosts prove their files while their results are read here
            ended=self.targets.ask_fleets if fleets else None,
            elsewhere=fleets[0].samplers(folder, fleets[1:]) if fleets else (),
            observe=spec.observe,
            events=spec.events if point.role == "point" else (),
            marks=self.run.path / MARKS,
        )
        return self._proved(before, result), folder

    def _proved(self, before: Mapping[str, Any] | None, result: PointRun) -> PointRun:
        """The result with what was proved around it; rejected where the proof failed."""
        after, why = None, None
        try:
            after = self.targets.prove(after=True)
        except (SafetyError, RunError) as problem:
            why = str(problem)
            if not self.targets.fleets:
                # the record names no path of this machine, the terminal does
                for place in self.targets.places().every:
                    why = why.replace(f"{place.folder}/", f"{place.link}/")
        if before is None and after is None and why is None:
            return result
        held = all(place.is_held for place in self.targets.places().every)
        proof = {"given": "descriptor" if held else "path", "before": before, "after": after}
        judged = result.acceptance
        if why:
            judged = judged.with_target_problem(why)
        return replace(result, acceptance=judged, target={**proof, "problem": why})
