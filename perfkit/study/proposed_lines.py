"""The lines of a proposed study file that say what its evidence is and how it is shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from perfkit.study.groups import GENERAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.study.groups import Found

COMPARE = "compare"


def body_lines(parts: dict[str, list[Found]]) -> list[str]:
    """What a study says of its evidence: at its top, or in the parts where there are several."""
    if len(parts) == 1:
        return _part(*next(iter(parts.items())))
    lines = ["parts:"]
    for (notebook, found), title in zip(parts.items(), _titles(parts), strict=True):
        lines += [f"  - name: {notebook.replace('_', '-')}", f"    title: {quoted(title)}"]
        lines += [f"    {line}" for line in _part(notebook, found)]
    return lines


def _titles(parts: dict[str, list[Found]]) -> list[str]:
    """The kinds of evidence of each part; of parts of the same kinds also what each shows of it."""
    kinds = [
        ", ".join(dict.fromkeys(item.source.description.split(" (")[0] for item in found))
        for found in parts.values()
    ]
    return [
        title if kinds.count(title) == 1 else f"{title}: {_SHOWN.get(notebook, _plain(notebook))}"
        for notebook, title in zip(parts, kinds, strict=True)
    ]


def _plain(notebook: str) -> str:
    return notebook.replace("_", " ")


_SHOWN = {
    COMPARE: "systems compared",
    GENERAL: "loads not known",
    "fio_results": "results by load",
    "oracle": "single reports",
    "oracle_pair": "before and after",
    "oracle_series": "over time",
}
"""What a notebook shows of evidence that another part of the report shows otherwise."""


def _part(notebook: str, found: Sequence[Found]) -> list[str]:
    more = dict.fromkeys(
        line for item in found for line in item.source.reported.study_lines.splitlines() if line
    )
    return [
        "evidence:",
        *(line for item in found for line in _entry(item)),
        *_criteria(found),
        f"notebook: {notebook}",
        *(_baseline(found) if notebook == COMPARE else ()),
        *(more if notebook != GENERAL else ()),
    ]


def _entry(item: Found) -> list[str]:
    count = f"{item.count} file{'' if item.count == 1 else 's'}"
    if len(item.files) == 1:
        lines = [f"  - files: {quoted(item.files[0])}  # {count}"]
    else:
        lines = [f"  - files:  # {count}", *(f"      - {quoted(name)}" for name in item.files)]
    labels = ", ".join(f"{name}: {quoted(value)}" for name, value in item.labels.items())
    lines += [f"    kind: {item.source.name}", f"    labels: {{{labels}}}"]
    if item.load is not None:
        lines.append(f"    load: {{kind: {item.load[0]}, name: {quoted(item.load[1])}}}")
    if item.repeat is not None:
        lines.append(f"    repeat: {quoted(item.repeat)}")
    return lines


def _baseline(found: Sequence[Found]) -> list[str]:
    """Of several systems the first is the baseline."""
    systems = list(dict.fromkeys(item.labels["system"] for item in found))
    return [f"parameters: {{baseline: {quoted(systems[0])}}}"] if len(systems) > 1 else []


def _criteria(found: Sequence[Found]) -> list[str]:
    names = dict.fromkeys(
        item.source.reported.criteria for item in found if item.source.reported.criteria
    )
    if names:
        return ["criteria:", *(f"  - set: {name}" for name in names)]
    return [
        "criteria: []",
        "# - {name: Mean latency, metric: lat_mean_s, comparison: '<=', limit: 2 ms}",
    ]


def quoted(text: str) -> str:
    """YAML's single-quoted form, in which only the quote itself is special; else as JSON has it."""
    if not text.isprintable():
        return json.dumps(text)
    return "'" + text.replace("'", "''") + "'"
