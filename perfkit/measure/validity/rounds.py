"""Rounds of the workload until the storage is steady or its cache warm, and what became of them.

The rule is the one of the SNIA Solid State Storage Performance Test Specification
(``stats.steady_window``). A whole PTS measurement begins with a purge, for which perfkit would need
the device's own erase command. It does none: what is attained here is never called PTS.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import RunError
from perfkit.core.stats import SteadyWindow, steady_window
from perfkit.formats.printed_counters import counters, number_of
from perfkit.measure.parts import Steady
from perfkit.measure.points import Point, round_point
from perfkit.measure.probe.events import PREFIX
from perfkit.measure.spec import SweepSpec

if TYPE_CHECKING:
    from perfkit.measure.engines.engine import Acceptance

NOT_PTS = "not PTS: the target was not purged before it was filled"
OUTCOME = "steady.json"

RunRound = Callable[["Point"], "Acceptance"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of the rounds, as steady.json and the caution of the points hold it."""

    metric: str
    round_s: float
    rounds: int
    attained: bool
    window_first: int | None = None
    window_last: int | None = None
    mean: float | None = None
    range_ratio: float | None = None
    slope_ratio: float | None = None
    pts: bool = False
    why_not_pts: str = NOT_PTS

    @classmethod
    def of(cls, steady: Steady, rounds: int, window: SteadyWindow | None) -> Outcome:
        """The outcome of some rounds, the last of which are the window."""
        if window is None:
            return cls(steady.metric, steady.round_s, rounds, attained=False)
        return cls(
            metric=steady.metric,
            round_s=steady.round_s,
            rounds=rounds,
            attained=window.attained,
            window_first=window.first,
            window_last=window.last,
            mean=window.mean,
            range_ratio=window.range_ratio,
            slope_ratio=window.slope_ratio,
        )

    @property
    def warning(self) -> str | None:
        """What the sweep's points must say; None where the storage was steady."""
        if self.attained:
            return None
        return (
            f"steady state was not attained in {self.rounds} rounds: in the last five "
            f"{self.metric} moved by {self.range_ratio:.0%} of its mean, its best-fit line by "
            f"{self.slope_ratio:.0%}"
        )


@dataclass
class Rounds:
    """The rounds of one sweep, in the folder ``rounds`` of its run."""

    spec: SweepSpec
    folder: Path
    values: list[float] = field(default_factory=list)

    @property
    def outcome(self) -> Outcome | None:
        """What an earlier call found; None if its rounds did not end."""
        try:
            return Outcome(**json.loads((self.folder / OUTCOME).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def run(self, steady: Steady, measure: RunRound) -> Outcome:
        """Rounds until the rule holds, or ``max_rounds``; the outcome is also kept in the folder.

        They begin anew: the storage rested during an interruption.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        window: SteadyWindow | None = None
        while len(self.values) < steady.max_rounds and not (window and window.attained):
            judged = measure(round_point(self.spec, len(self.values) + 1))
            value = getattr(judged, steady.metric)
            if value is None:
                raise RunError(f"round {len(self.values) + 1} gives no {steady.metric}")
            self.values.append(value)
            window = steady_window(self.values)
        outcome = Outcome.of(steady, len(self.values), window)
        text = json.dumps(asdict(outcome), indent=1) + "\n"
        (self.folder / OUTCOME).write_text(text, encoding="utf-8")
        if steady.required and not outcome.attained:
            raise RunError(f"{outcome.warning}; the sweep asked for it (steady_state.required)")
        return outcome


AGREEING = 3
"""Rounds that must agree."""


def is_warm(values: Sequence[float], tolerance: float) -> bool:
    """Whether the last rounds lie within a share of their mean."""
    last = values[-AGREEING:]
    mean = math.fsum(last) / len(last) if last else 0.0
    return len(last) == AGREEING and all(
        abs(value - mean) <= tolerance * abs(mean) for value in last
    )


def observed(folder: Path, wanted: str) -> float:
    """The value that an observer printed last in a round: ``array.hit_ratio``.

    RunError where it printed none, or several of that name.
    """
    name, _, counter = wanted.partition(".")
    lines = (folder / f"{PREFIX}{name}.jsonl").read_text(encoding="utf-8").splitlines()
    head, *readings = (json.loads(line) for line in lines)
    read = [one for one in readings if not one["problem"]]
    if not read:
        why = readings[-1]["problem"] if readings else "it was not run"
        raise RunError(f"warm-up: {name} printed nothing: {why}")
    try:
        found = counters(read[-1]["text"], head["form"], head["clock"])
    except ValueError as problem:
        raise RunError(f"warm-up: {name}: {problem}") from problem
    values = [number_of(value) for _, own, value in found if own == counter]
    if len(values) != 1 or values[0] is None:
        raise RunError(f"warm-up: {name} printed {len(values)} values of {counter}, not one number")
    return values[0]
