"""The parts of a sweep with fields of their own: its loads and rounds, what goes beside it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field, field_validator, model_validator

from perfkit.core.units import MIB
from perfkit.measure.shape import Cpus, Frozen, Percent, Seconds, Size, directions_of

LoadKind = Literal["iodepth", "numjobs", "rate_iops"]


class Load(Frozen):
    """What is raised from point to point, and its values.

    Written ``{iodepth: [1, 2, 4]}`` or ``{kind: iodepth, points: [1, 2, 4]}``. A paced load may
    be a ramp, ``{rate_iops: {min: 1000, max: 10000, runs: 10}}``, see ``ramp_targets``.
    """

    kind: LoadKind
    points: tuple[Annotated[int, Field(gt=0)], ...] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if not isinstance(given, dict) or len(given) != 1:
            return given
        ((kind, points),) = given.items()
        if type(points) is int:
            points = [points]
        if isinstance(points, dict) and kind == "rate_iops":
            names = {"min": "minimum", "max": "maximum", "runs": "runs"}
            if set(points) != set(names) or not all(
                type(value) is int for value in points.values()
            ):
                raise ValueError("a ramp of rates is written {min: 1000, max: 10000, runs: 10}")
            points = ramp_targets(**{names[name]: value for name, value in points.items()})
        return {"kind": kind, "points": points}

    @field_validator("points")
    @classmethod
    def _once_each(cls, points: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(points)) != len(points):
            raise ValueError("a load point is listed twice; use repeats to measure it again")
        return points


class Drain(Frozen):
    """The writer of the epic-like workload: every period it writes its blocks at full speed."""

    blocks: int = Field(gt=0)
    period_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=80.0, validation_alias=AliasChoices("period_s", "period")
    )
    iodepth: int = Field(default=32, gt=0)


class Steady(Frozen):
    """Rounds of the sweep's highest load before the first point, until the storage is steady.

    ``metric`` is what must hold still over a window of five rounds (``stats.steady_window``).
    Without ``required`` a sweep whose rounds run out measures all the same, and says so.
    """

    round_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=60.0, validation_alias=AliasChoices("round_s", "round")
    )
    max_rounds: int = Field(default=25, ge=5)
    metric: Literal["iops", "lat_mean_s"] = "iops"
    required: bool = False


class WarmUp(Frozen):
    """Rounds of the highest load before the first point of a call, until its caches are warm.

    They are when the value of each of the last three rounds lies within ``tolerance`` of their
    mean: the IOPS, or what a command of ``observe`` printed last, ``array.hit_ratio``.
    """

    round_s: Annotated[Seconds, Field(gt=0)] = Field(
        default=10.0, validation_alias=AliasChoices("round_s", "round")
    )
    max_rounds: int = Field(default=30, ge=3)
    tolerance: float = Field(default=0.05, gt=0, le=1)
    observed: str | None = Field(default=None, pattern=r"^[a-z0-9][a-z0-9-]*\..+$")


class Observe(Frozen):
    """A command whose output is kept beside each point: ``ssh array statistics show``.

    ``form`` says how its output is read: a header and rows (csv), JSON, or as it is (text).
    ``clock`` is the column or key with the time of whoever printed it, so that the offset of the
    clocks is known: ISO 8601 (without a zone: UTC), or seconds since 1970.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    command: str = Field(min_length=1)
    every_s: Annotated[Seconds, Field(ge=0.2)] = Field(
        default=5.0, validation_alias=AliasChoices("every_s", "every")
    )
    form: Literal["csv", "json", "text"] = "csv"
    clock: str | None = None


class Background(Frozen):
    """A second load, paced, beside the measured one and on a target of its own.

    Attributes:
        target: Its folder or device; ``file_size`` bytes of it are used.
        rate_iops: Reads and writes per second, over all its jobs.
    """

    target: str = Field(min_length=1)
    rate_iops: int = Field(gt=0)
    read_percent: Percent = 100
    block_size: Size = 8192
    file_size: Size = 1024 * MIB
    iodepth: int = Field(default=32, gt=0)
    numjobs: int = Field(default=1, gt=0)

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which it does I/O."""
        return directions_of(self.read_percent)


class Event(Frozen):
    """A command that is run once in each point, ``at_s`` after its begin: a takeover, a rebuild."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    command: str = Field(min_length=1)
    at_s: Seconds = Field(validation_alias=AliasChoices("at_s", "at"))


class Numa(Frozen):
    """The NUMA nodes whose processors run the jobs, ``0-1``, and where their memory lies.

    ``memory`` is fio's ``numa_mem_policy``: ``local``, ``bind:0``, ``prefer:1``,
    ``interleave:0-1``.
    """

    nodes: Cpus
    memory: str | None = Field(
        default=None, pattern=r"^(default|local|(bind|interleave):[0-9,-]+|prefer:[0-9]+)$"
    )


class Search(Frozen):
    """More loads than the ladder's, until the highest that keeps a mean latency is bracketed.

    ``tolerance``: how far apart the highest load that keeps it and the lowest that misses it may
    be, as a share of the first. ``max_loads``: how many are measured for it at most.
    """

    latency_s: Annotated[Seconds, Field(gt=0)] = Field(
        validation_alias=AliasChoices("latency_s", "latency")
    )
    tolerance: float = Field(default=0.05, gt=0, le=1)
    max_loads: int = Field(default=8, ge=1, le=32)


def ramp_targets(minimum: int, maximum: int, runs: int) -> tuple[int, ...]:
    """The offered rates of a ramp: ``min + (max - min) * i / runs`` for i = 1 ... runs.

    The rule is the one published GenIO ramps follow; the first run is therefore above ``min``.
    Raises ValueError unless 0 <= min < max and runs >= 1.
    """
    if not 0 <= minimum < maximum or runs < 1:
        raise ValueError("a ramp needs 0 <= min < max and runs >= 1")
    return tuple(round(minimum + (maximum - minimum) * i / runs) for i in range(1, runs + 1))
