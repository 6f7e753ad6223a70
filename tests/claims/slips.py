"""Tables and charts with one cell, point or name changed, as a slip of the code changes them."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claims.shown import Shown

NULL = "–"
Data = dict[str, Any]
Slip = Callable[[random.Random, Data], bool]
"""Changes the data in place; False where there was nothing of its kind to change."""


def slipped(draw: random.Random, shown: Shown) -> Shown | None:
    """The same with one slip in it; None where it holds nothing that could slip."""
    if shown.data is None:
        return None
    slips = list(TABLE if shown.name.startswith("table") else CHART)
    draw.shuffle(slips)
    for slip in slips:
        data = copy.deepcopy(shown.data)
        if slip(draw, data) and data != shown.data:
            return replace(shown, data=data)
    return None


# --- tables -------------------------------------------------------------------------------------


def _cells(data: Data, wanted: Callable[[str], bool]) -> list[tuple[int, int]]:
    return [(i, j) for i, row in enumerate(data["rows"]) for j, text in enumerate(row)
            if wanted(text)]  # fmt: skip


def digit(draw: random.Random, text: str) -> str:
    """Another digit in one place of the first three."""
    places = [match.start() for match in re.finditer(r"\d", text)][:3]
    place = draw.choice(places)
    new = draw.choice([d for d in "0123456789" if d != text[place]])
    return text[:place] + new + text[place + 1 :]


def _another_digit(draw: random.Random, data: Data) -> bool:
    found = _cells(data, lambda text: bool(re.search(r"\d", text)))
    if not found:
        return False
    i, j = draw.choice(found)
    data["rows"][i][j] = digit(draw, data["rows"][i][j])
    return True


def _zero_for_nothing(draw: random.Random, data: Data) -> bool:
    numbers = [j for j, column in enumerate(data["columns"]) if column["align"] == "right"]
    found = [place for place in _cells(data, lambda text: text == NULL) if place[1] in numbers]
    if not found:
        return False
    i, j = draw.choice(found)
    data["rows"][i][j] = "0"
    return True


def _nothing_for_number(draw: random.Random, data: Data) -> bool:
    found = _cells(data, lambda text: bool(re.search(r"\d", text)))
    if not found:
        return False
    i, j = draw.choice(found)
    data["rows"][i][j] = NULL
    return True


def _two_rows(draw: random.Random, data: Data) -> bool:
    """Two rows change places."""
    if len(data["rows"]) < 2:
        return False
    i, j = draw.sample(range(len(data["rows"])), 2)
    for name in ("rows", "values"):
        data[name][i], data[name][j] = data[name][j], data[name][i]
    return True


def _row_left_out(draw: random.Random, data: Data) -> bool:
    place = draw.randrange(len(data["rows"]))
    for name in ("rows", "values"):
        del data[name][place]
    return True


def _another_unit(draw: random.Random, data: Data) -> bool:
    turn = {"(ms)": "(µs)", "(µs)": "(ms)", "(s)": "(ms)"}
    found = [c for c in data["columns"] if any(unit in c["label"] for unit in turn)]
    if not found:
        return False
    column = draw.choice(found)
    unit = next(unit for unit in turn if unit in column["label"])
    column["label"] = column["label"].replace(unit, turn[unit])
    return True


def _another_name(_: random.Random, data: Data) -> bool:
    """The names of the two systems change places, wherever they stand."""
    swap = {"Ash": "Birch", "Birch": "Ash"}

    def turned(text: str) -> str:
        return re.sub(r"Ash|Birch", lambda match: swap[match[0]], text)

    data["rows"] = [[turned(text) for text in row] for row in data["rows"]]
    for column in data["columns"]:
        column["label"] = turned(column["label"])
    return True


TABLE: Sequence[Slip] = (
    _another_digit, _another_digit, _zero_for_nothing, _nothing_for_number, _two_rows,
    _row_left_out, _another_unit, _another_name,
)  # fmt: skip


# --- charts -------------------------------------------------------------------------------------


def _trace(draw: random.Random, data: Data) -> Data:
    found: Data = draw.choice(data["data"])
    return found


def _moved(draw: random.Random, values: list[Any]) -> bool:
    """One number of a list moved by a tenth or more."""
    places = [i for i, value in enumerate(values) if isinstance(value, int | float)]
    if not places:
        return False
    place = draw.choice(places)
    values[place] = values[place] * draw.choice([0.5, 0.9, 1.1, 10.0]) or 1.0
    return True


def _point_moved(draw: random.Random, data: Data) -> bool:
    return _moved(draw, _trace(draw, data)[draw.choice("xy")])


def _bar_moved(draw: random.Random, data: Data) -> bool:
    bars = [t[name] for t in data["data"] for name in ("error_x", "error_y") if name in t]
    return bool(bars) and _moved(draw, draw.choice(bars)[draw.choice(["array", "arrayminus"])])


def _point_left_out(draw: random.Random, data: Data) -> bool:
    trace = _trace(draw, data)
    place = draw.randrange(len(trace["x"]))
    for name in ("x", "y", "customdata", "text", "hovertext"):
        if isinstance(trace.get(name), list):
            del trace[name][place]
    return True


def _two_points(draw: random.Random, data: Data) -> bool:
    """Two values of a line change places."""
    found = [t for t in data["data"] if t["mode" if "mode" in t else "type"] != "markers"]
    found = [t for t in found if len(set(t["y"])) > 1]
    if not found:
        return False
    ys = draw.choice(found)["y"]
    i, j = draw.sample(range(len(ys)), 2)
    ys[i], ys[j] = ys[j], ys[i]
    return True


def _gap_at_zero(draw: random.Random, data: Data) -> bool:
    found = [(t, i) for t in data["data"] for i, y in enumerate(t["y"]) if y is None]
    if not found:
        return False
    trace, place = draw.choice(found)
    trace["y"][place] = 0.0
    if trace["x"][place] is None:
        trace["x"][place] = 0.0
    return True


def _two_names(_: random.Random, data: Data) -> bool:
    names = [trace["name"] for trace in data["data"]]
    for trace, name in zip(data["data"], names[1:] + names[:1], strict=True):
        trace["name"] = name
    return True


def _trace_left_out(draw: random.Random, data: Data) -> bool:
    del data["data"][draw.randrange(len(data["data"]))]
    return True


def _axis_of_another_unit(_: random.Random, data: Data) -> bool:
    title = data["layout"]["yaxis"]["title"]
    turn = {"(ms)": "(µs)", "(µs)": "(ms)", "(s)": "(ms)", " (thousands)": ""}
    unit = next((unit for unit in turn if unit in title["text"]), None)
    title["text"] = title["text"].replace(unit, turn[unit]) if unit else title["text"]
    return unit is not None


def _hover_changed(draw: random.Random, data: Data) -> bool:
    found = [t[name] for t in data["data"] for name in ("customdata", "hovertext")
             if isinstance(t.get(name), list)]  # fmt: skip
    places = [(texts, i) for texts in found for i, text in enumerate(texts)
              if text and re.search(r"\d", text)]  # fmt: skip
    if not places:
        return False
    texts, place = draw.choice(places)
    texts[place] = digit(draw, texts[place])
    return True


CHART: Sequence[Slip] = (
    _point_moved, _point_moved, _bar_moved, _point_left_out, _two_points, _gap_at_zero, _two_names,
    _trace_left_out, _axis_of_another_unit, _hover_changed,
)  # fmt: skip
