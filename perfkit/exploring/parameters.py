"""What is asked of load points: a notebook's parameters as people write them, in one value."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from perfkit.analysis.compare.common import comparison_values
from perfkit.core.errors import UsageError, did_you_mean

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


def comparison_asked(study: Any = None, *, interactive: bool | None = None, **given: Any) -> Asked:
    """The parameters of a comparison's notebook as one value.

    In JupyterLab a notebook is run without ``perfkit report``, which would hand it the parameters
    of the study: what is None is then taken from the study file. Elsewhere None is None.

    Args:
        study: The study that was opened; None: only what is given counts.
        interactive: As for ``explore``: None finds out whether a user is at the notebook.
        given: By name (``NAMES``). Values are numbers, or a text with blanks between them: times in
            microseconds, busy shares in percent. Systems are a list, or one text with semicolons
            between them, conditions that may differ a list, or one with blanks.

    Raises UsageError for what is not a number above 0, and for a name that is none.
    """
    if study is not None and live(interactive):
        own = study.model.parameters
        given = {name: own.get(name) if given.get(name) is None else given[name] for name in NAMES}
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


def live(interactive: bool | None = None) -> bool:
    """Whether selectors are wanted: as told, or, where nothing is told, whether there is a user.

    A notebook is executed by a kernel in either case. A front end with a person before it
    (JupyterLab, Notebook, VS Code) says in each request that a cell may ask its user something,
    ``allow_stdin`` of Jupyter's message protocol; papermill, nbconvert, schedulers and ``perfkit
    report`` say that it may not, because nobody would answer. Outside a kernel there is nobody.
    """
    if interactive is not None:
        return interactive
    # nothing is imported to find out: without IPython there is no kernel
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return False
    request = kernel.get_parent() or {}
    return bool(request.get("content", {}).get("allow_stdin", False))
