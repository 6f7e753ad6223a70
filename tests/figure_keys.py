"""An independent look at a chart's data: no bar, point or line holds rows of two keys.

Plotly stacks the bars of one trace that share a category, and joins points of one line whatever
they are of. Neither is ever meant: what is stacked on purpose is a trace a part.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PLOTLY = "application/vnd.plotly.v1+json"


def problems(chart: dict) -> list[str]:
    """What is wrong with a chart, in words; nothing for one whose every mark has one key."""
    chart = json.loads(json.dumps(chart, default=_plain))
    traces = [trace for trace in chart["data"] if trace.get("visible", True) is not False]
    layout = chart.get("layout", {})
    measured = "IOPS" in _title(layout)
    found = [
        text for trace in traces for text in _of_trace(trace)
        # two runs may give the same: along what was measured a place is not a key
        if not (measured and trace["type"] == "scatter")
    ]  # fmt: skip
    return [*found, *_stacked(traces, layout)]


def _title(layout: dict) -> str:
    title = layout.get("xaxis", {}).get("title") or ""
    return title if isinstance(title, str) else title.get("text") or ""


def _plain(value):
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _places(trace: dict) -> list:
    """Where the marks of a trace stand along the axis of their keys."""
    axis = "y" if trace.get("orientation") == "h" else "x"
    values = trace.get(axis) or []
    return values["_inputArray"] if isinstance(values, dict) and "_inputArray" in values else values


def _of_trace(trace: dict) -> Iterator[str]:
    places, name = _places(trace), trace.get("name", "")
    if isinstance(places, dict):  # typed arrays are decoded where they are needed: none so far
        raise TypeError(f"a packed array in {name!r}")
    if trace["type"] == "bar":
        twice = [key for key, n in Counter(map(str, places)).items() if n > 1]
        yield from (f"two bars of {name!r} stand at {key!r} and are stacked" for key in twice)
    if trace["type"] == "scatter" and "lines" in (trace.get("mode") or "lines"):
        runs = [places[i] for i in range(len(places)) if not i or places[i] != places[i - 1]]
        known = [place for place in runs if place is not None]
        twice = [key for key, n in Counter(map(str, known)).items() if n > 1]
        # a step stands at one place twice, one after the other: never three times
        steps = max((len(list(part)) for part in _runs(places)), default=0)
        yield from (f"line {name!r} comes back to {key!r}" for key in twice)
        if steps > 2:
            yield f"line {name!r} has {steps} points at one place"


def _runs(places: list) -> Iterator[list]:
    run: list = []
    for place in places:
        if run and (place is None or place != run[-1]):
            yield run
            run = []
        if place is not None:
            run.append(place)
    if run:
        yield run


STACKED = {"group", "stack", "relative"}
"""Side by side, or one upon the other: with "relative" those below zero stand below it."""


def _stacked(traces: list[dict], layout: dict) -> Iterator[str]:
    """Bars of several traces at one place are side by side, or each a part of its own name."""
    bars = [trace for trace in traces if trace["type"] == "bar"]
    names = Counter(trace.get("name", "") for trace in bars)
    if len(bars) > 1 and max(names.values()) > 1:
        yield f"two traces of bars are called {names.most_common(1)[0][0]!r}"
    if len(bars) > 1 and layout.get("barmode", "group") not in STACKED:
        yield f"bars are laid over each other: {layout['barmode']}"


def charts_of(notebook: Path) -> list[dict]:
    """Every chart that an executed notebook shows."""
    cells = json.loads(notebook.read_text())["cells"]
    return [
        output["data"][PLOTLY] for cell in cells for output in cell.get("outputs", [])
        if PLOTLY in output.get("data", {})
    ]  # fmt: skip
