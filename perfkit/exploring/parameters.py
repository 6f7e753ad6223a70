"""What is asked of load points: a notebook's parameters as people write them, in one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perfkit.analysis.compare.given import Values, comparison_values
from perfkit.core.errors import UsageError, did_you_mean
from perfkit.exploring.session import live

NAMES = (
    "event", "direction", "metric", "baseline", "systems", "workload", "latencies_us", "iops",
    "loads", "cpu_percents", "limit_us", "allow",
)  # fmt: skip
"""The parameters of a comparison, in the order in which a notebook lists them."""


@dataclass(frozen=True)
class Asked:
    """The parameters of a comparison, read.

    Attributes:
        event: The wait event whose mean is the read latency (AWR); None: latency as measured.
        direction: Of which I/O.
        metric: The latency: its mean or a percentile.
        baseline: The curve that others are compared with; None: the first one.
        systems: Those that are compared, the baseline among them; empty: all.
        workload: The one workload; None: all.
        values: At which values: arguments of ``compare``, in SI base units.
        limit_s: The latency limit that is drawn; None: none.
        allow: Conditions that may differ.
    """

    event: str | None = None
    direction: str = "total"
    metric: str = "lat_mean_s"
    baseline: str | None = None
    systems: tuple[str, ...] = ()
    workload: str | None = None
    values: Mapping[str, list[float]] = field(default_factory=dict)
    limit_s: float | None = None
    allow: tuple[str, ...] = ()


def comparison_asked(
    study: Any = None,
    *,
    interactive: bool | None = None,
    event: str | None = None,
    direction: str | None = None,
    metric: str | None = None,
    baseline: str | None = None,
    systems: str | list[str] | None = None,
    workload: str | None = None,
    latencies_us: Values = None,
    iops: Values = None,
    loads: Values = None,
    cpu_percents: Values = None,
    limit_us: float | str | None = None,
    allow: str | list[str] | None = None,
) -> Asked:
    """The parameters of a comparison's notebook as one value.

    In JupyterLab a notebook is run without ``perfkit report``, which would hand it the parameters
    of the study: what is None is then taken from the study file. Elsewhere None is None.

    Args:
        study: The study that was opened; None: only what is given counts.
        interactive: As for ``explore``: None finds out whether a user is at the notebook.
        event: The wait event whose mean is the read latency.
        direction: None: total.
        metric: None: the mean latency.
        baseline: None: the first curve.
        systems: A list of names, or one text with semicolons between them; None: all.
        workload: None: all.
        latencies_us: Numbers, or a text with blanks between them; as the next three.
        iops: At which IOPS.
        loads: At which loads.
        cpu_percents: At which busy shares of the hosts' CPU.
        limit_us: A latency limit in microseconds, drawn in the curves.
        allow: Names of conditions that may differ, or one text with blanks between them.

    Raises UsageError for what is no number above 0.
    """
    given = {
        "event": event, "direction": direction, "metric": metric, "baseline": baseline,
        "systems": systems, "workload": workload, "latencies_us": latencies_us, "iops": iops,
        "loads": loads, "cpu_percents": cpu_percents, "limit_us": limit_us, "allow": allow,
    }  # fmt: skip
    if study is not None and live(interactive):
        own = study.model.parameters
        given = {name: own.get(name) if value is None else value for name, value in given.items()}
    return read_asked(given)


def read_asked(given: Mapping[str, Any]) -> Asked:
    """``Asked`` from parameters by name; UsageError for a name that is none."""
    for name in given:
        if name not in NAMES:
            raise UsageError(
                f"no parameter {name!r} of a comparison; {did_you_mean(name, list(NAMES))}"
            )
    values = {name: given.get(name) for name in ("latencies_us", "iops", "loads", "cpu_percents")}
    limits = comparison_values(latencies_us=given.get("limit_us"))["latencies_s"]
    if len(limits) > 1:
        raise UsageError("limit_us: one limit, not several")
    return Asked(
        event=given.get("event"),
        direction=given.get("direction") or "total",
        metric=given.get("metric") or "lat_mean_s",
        baseline=given.get("baseline"),
        systems=_parts(given.get("systems"), ";"),
        workload=given.get("workload"),
        values=comparison_values(**values),
        limit_s=limits[0] if limits else None,
        allow=_parts(given.get("allow"), None),
    )


def _parts(given: Any, between: str | None) -> tuple[str, ...]:
    if given is None:
        return ()
    parts = given.split(between) if isinstance(given, str) else given
    return tuple(str(part).strip() for part in parts if str(part).strip())
