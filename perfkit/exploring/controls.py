"""The widgets of a panel and how they stand on the page; what is chosen by them is not theirs."""

from __future__ import annotations

import html
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfkit.analysis.compare.common import numbers_of
from perfkit.analysis.curves.metrics import metric_of
from perfkit.core.errors import PerfkitError
from perfkit.core.values import MIME, PLOTLY_MIME, WORDS_MIME, Figure
from perfkit.exploring.answer import Answer, Difference
from perfkit.exploring.choices import ALIGN, Offers
from perfkit.exploring.take_along import written
from perfkit.showing import style

PARTS = ("curves", "differences", "sentences", "tables")
"""What stands below the selectors, in this order."""

EACH_WORKLOAD, EACH_VALUE = "each workload", "each value"
"""What stands for all of them: None would be no choice at all to a widget."""

PICTURES, REPORT = "Save pictures", "Make this a report"
ACTIONS = {PICTURES: "picture-o", REPORT: "file-pdf-o"}
"""What the buttons below the charts do, with their icons."""

_MOST_ROWS = 6
_STYLE = {"description_width": "84px"}
_PLACEHOLDERS = {
    "latency": "round ones, or µs: 300 400", "IOPS": "round ones, or: 150000",
    "load": "common ones, or: 16 32", "host CPU": "round ones, or %: 15 25",
    "peak": "the peak needs none",
}  # fmt: skip


def values_read(name: str, text: str, scale: float) -> tuple[float, ...]:
    """The values of a text field, of units of ``scale``, in SI base units.

    Raises UsageError for what is not a number above 0.
    """
    numbers = numbers_of(name, text)
    # divided as the notebook's parameters are, so that a value is the same double either way
    return tuple(numbers if scale == 1 else (number / round(1 / scale) for number in numbers))


class Controls:
    """The widgets by name, the places of what is shown, and the box that holds all of it."""

    def __init__(self, *, workloads: Sequence[tuple[str, str]], directions: list[str]) -> None:
        import ipywidgets as widgets

        from perfkit.exploring.desk import Desk

        self._new = widgets
        usual: dict[str, Any] = {"style": _STYLE, "layout": widgets.Layout(width="auto")}
        tick: dict[str, Any] = {"indent": False, "layout": widgets.Layout(width="auto")}
        text: dict[str, Any] = {**usual, "continuous_update": False}
        several = (
            [(EACH_WORKLOAD, EACH_WORKLOAD), *workloads] if len(workloads) > 1 else list(workloads)
        )
        self.selectors: dict[str, Any] = {
            "workload": widgets.Dropdown(options=several, description="Workload", **usual),
            "direction": widgets.Dropdown(options=directions, description="I/O", **usual),
            "metric": widgets.Dropdown(description="Latency", **usual),
            "baseline": widgets.Dropdown(description="Baseline", **usual),
            "systems": widgets.SelectMultiple(description="Against it", **usual),
            "align": widgets.ToggleButtons(
                description="At equal",
                style={**_STYLE, "button_width": "auto"},
                layout=widgets.Layout(width="auto"),
            ),
            "at": widgets.Text(description="Values", **text),
            "mark": widgets.Dropdown(
                options=[(EACH_VALUE, EACH_VALUE)], description="Mark", **usual
            ),
            "limit": widgets.Text(description="Limit (µs)", placeholder="none", **text),
            "repeats": widgets.Checkbox(value=True, description="Repeats", **tick),
            "bands": widgets.Checkbox(value=True, description="Intervals as bands", **tick),
        }
        self.allow: dict[str, Any] = {}
        self.outputs: dict[str, Any] = {name: widgets.Output() for name in PARTS}
        self.notes, self.problem, self.export = (widgets.HTML() for _ in range(3))
        self.desk = Desk()
        narrow = widgets.Layout(width="auto")
        self.actions = {
            name: widgets.Button(description=name, icon=icon, layout=narrow)
            for name, icon in ACTIONS.items()
        }
        self.told = widgets.Output()
        self._differ = widgets.VBox()
        self._observer: Callable[[Any], None] | None = None
        self.box = self._arranged()

    def _arranged(self) -> Any:
        new, own = self._new, self.selectors
        grid = [
            own[name]
            for name in (
                "workload",
                "direction",
                "baseline",
                "systems",
                "metric",
                "limit",
                "at",
                "mark",
            )
        ]
        line = new.Layout(flex_flow="row wrap", width="100%")
        top = new.VBox(
            [
                _named("perfkit-grid", new.Box(grid)),
                new.HBox([own["align"], own["repeats"], own["bands"]], layout=line),
            ]
        )
        return _named(
            "perfkit-panel",
            new.VBox(
                [
                    _named("perfkit-controls", top),
                    self.notes,
                    self.problem,
                    self._differ,
                    *self.outputs.values(),
                    new.HBox(list(self.actions.values()), layout=line),
                    self.told,
                    self.export,
                    self.desk,
                ]
            ),
        )

    def observe(self, changed: Callable[[Any], None]) -> None:
        """Call ``changed`` whenever a selector is set to another value."""
        self._observer = changed
        for widget in self.selectors.values():
            widget.observe(changed, "value")

    def observe_brush(self, brushed: Callable[[Brush], None]) -> None:
        """Call ``brushed`` whenever a range was brushed in a chart, or taken back."""

        def heard(change: Any) -> None:
            found = Brush.of(change["new"])
            if found is not None:
                brushed(found)

        self.desk.observe(heard, "brushed")

    def observe_actions(self, do: Callable[[str], None]) -> None:
        """Call ``do`` with the name of a button that was clicked."""
        for name, button in self.actions.items():
            button.on_click(lambda _, name=name: do(name))

    def work(self, name: str, make: Callable[[Callable[[str], None]], list[Path]]) -> None:
        """Do the work of a button in a thread; below the buttons stands how it goes, and the files.

        The button cannot be clicked again before its work has ended.
        """
        button = self.actions[name]
        button.disabled = True
        self.told.outputs = ()

        def run() -> None:
            from IPython.display import FileLink

            try:
                for path in make(lambda text: self.told.append_stdout(f"{text}\n")):
                    self.told.append_display_data(FileLink(os.path.relpath(path)))
            except PerfkitError as problem:
                self.told.append_stdout(f"{problem}\n")
            finally:
                button.disabled = False

        threading.Thread(target=run, name="perfkit-panel", daemon=True).start()

    # options

    def choose(self, name: str, value: Any) -> None:
        """Set a selector where it offers the value; otherwise it stays."""
        widget = self.selectors[name]
        if value in _values_of(widget):
            widget.value = value

    def offer(self, found: Offers) -> None:
        """The latencies and ways to align that the load points hold; what was chosen is kept."""
        metrics = [(metric_of(name).long, name) for name in found.metrics]
        self._options("metric", metrics)
        self._options("align", list(found.align))
        self.notes.value = "".join(f"<div>{html.escape(text)}</div>" for text in found.missing())

    def systems(self, names: Sequence[str], baseline: str, others: Sequence[str]) -> None:
        """The curves there are, the baseline, and those compared with it."""
        self._options("baseline", list(names))
        self.selectors["baseline"].value = baseline
        rest = [name for name in names if name != baseline]
        self._options("systems", rest)
        self.selectors["systems"].rows = max(1, min(_MOST_ROWS, len(rest)))
        self.selectors["systems"].value = tuple(others)

    def values(self, align: str, values: Sequence[float]) -> None:
        """The text of the values, for a way to align."""
        known = ALIGN[align]
        self.selectors["at"].value = " ".join(written(value, known.scale) for value in values)
        self.selectors["at"].disabled = known.values is None
        self.selectors["at"].placeholder = _PLACEHOLDERS[align]

    def marks(self, align: str, values: Sequence[float]) -> None:
        """The values that can be marked alone."""
        known = ALIGN[align]
        items = [(f"{written(value, known.scale)} {known.unit}".strip(), value) for value in values]
        self._options("mark", [(EACH_VALUE, EACH_VALUE), *items])

    def _options(self, name: str, options: list[Any]) -> None:
        widget = self.selectors[name]
        if list(widget.options) == options:
            return
        before = widget.value
        widget.options = options
        if name != "systems":
            kept = before if before in _values_of(widget) else _values_of(widget)[0]
            widget.value = kept

    # what is shown

    def allowed(self) -> tuple[str, ...]:
        """The conditions that are allowed to differ, each by its own box."""
        return tuple(name for name, box in self.allow.items() if box.value)

    def offer_allowing(self, differ: Sequence[Difference], allowed: Sequence[str] = ()) -> None:
        """A box for each condition that differs; one that no longer does is gone, and its box."""
        words: dict[str, list[str]] = {}
        for item in differ:
            words.setdefault(item.field, []).append(f"{item.curves}: {item.words}")
        kept = {*self.allowed(), *allowed}
        if list(words) != list(self.allow):
            self.allow = {name: self._box(name, name in kept) for name in words}
        told = {name: html.escape("; ".join(dict.fromkeys(said))) for name, said in words.items()}
        self._differ.children = [
            self._new.HBox([self.allow[name], self._new.HTML(text)]) for name, text in told.items()
        ]

    def _box(self, name: str, value: bool) -> Any:
        box = self._new.Checkbox(
            value=value, description=f"compare although {name} differs", indent=False
        )
        if self._observer is not None:
            box.observe(self._observer, "value")
        return box

    def show(self, made: Answer, exported: dict[str, str]) -> None:
        """Put an answer on the page, in place of the one before: also where there is none."""
        self.problem.value = "" if made.problem is None else warning(made.problem)
        for name, place in self.outputs.items():
            outputs = [
                out
                for value in (made.shown or {}).get(name, [])
                for out in _displayed(value, made.align if name == "curves" else name)
            ]
            if list(place.outputs) != outputs:
                place.outputs = tuple(outputs)
        texts = [
            f'<div class="perfkit-export">{html.escape(name)}<pre>{html.escape(text)}</pre>'
            '<button class="perfkit-copy jp-mod-styled" type="button">Copy</button></div>'
            for name, text in exported.items()
        ]
        self.export.value = "".join(["<b>Take this choice along</b>", *texts] if texts else [])


def _named(name: str, box: Any) -> Any:
    box.add_class(name)
    return box


def _values_of(widget: Any) -> list[Any]:
    return [item[1] if isinstance(item, tuple) else item for item in widget.options]


def warning(text: str, lead: str = "Nothing is shown.") -> str:
    """A refusal, told by its words and its frame, not by a colour alone."""
    look = f"border:2px solid {style.PALETTE[1]};padding:6px 10px;margin:6px 0"
    return f'<div role="alert" style="{look}"><b>{lead}</b> {html.escape(text)}</div>'


def _displayed(value: Any, align: str | None) -> list[dict[str, Any]]:
    """A value as the outputs of a cell: without the record, which is for reports.

    In a chart of curves a drag brushes along the axis at whose values they are compared, and
    hovering tells of every curve there; in one of changes it brushes the values.
    """
    bundles = value.bundles() if isinstance(value, Figure) else (value._repr_mimebundle_(),)
    found: list[dict[str, Any]] = [
        {kind: data for kind, data in bundle.items() if kind not in _FOR_REPORTS}
        for bundle in bundles
    ]
    for bundle in found:
        chart = bundle.get(PLOTLY_MIME, {"layout": {}})
        if align in _BRUSH and "meta" in chart["layout"]:
            bundle[PLOTLY_MIME] = {**chart, "layout": chart["layout"] | _BRUSH[align]}
    return [{"output_type": "display_data", "data": bundle, "metadata": {}} for bundle in found]


_ALONG_X = {"dragmode": "select", "selectdirection": "h", "hovermode": "x unified",
            "hoverdistance": -1}  # fmt: skip
_ALONG_Y = _ALONG_X | {"selectdirection": "v", "hovermode": "y unified"}
_BRUSH: dict[str | None, dict[str, Any]] = {
    "latency": _ALONG_Y, "IOPS": _ALONG_X, "host CPU": _ALONG_Y,
    "load": _ALONG_X | {"selectdirection": "any"},
    "differences": {"dragmode": "select", "selectdirection": "h"},
}  # fmt: skip
"""How charts of curves are brushed, by what they are put side by side at; and those of changes."""

_FOR_REPORTS = frozenset({*MIME.values(), WORDS_MIME})


@dataclass(frozen=True)
class Brush:
    """What was brushed in a chart. Empty where the brush was taken back (a double click).

    Attributes:
        ranges: Of each metric the lowest and the highest value, in SI units.
        values: In a chart of changes, those of its values that were brushed, in SI units; None in
            other charts.
    """

    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    values: tuple[float, ...] | None = None

    @classmethod
    def of(cls, told: dict[str, Any]) -> Brush | None:
        """The brush of what the browser told; None in a chart whose axes say nothing."""
        axes, ranges = told["chart"], told["range"]
        if not axes or not ranges:
            return cls() if axes else None
        if "values" in axes:
            return cls(values=_brushed_values(axes, *ranges["x"]))
        return cls(
            {
                axes[axis]["metric"]: (low * axes[axis]["si"], high * axes[axis]["si"])
                for axis, (low, high) in ranges.items()
                if axis in axes
            }
        )


def _brushed_values(axes: dict[str, Any], low: float, high: float) -> tuple[float, ...]:
    """The values of which the brush meets a mark: they stand at 0, 1, 2 ... along the axis."""
    reach = axes["reach"]
    return tuple(
        value
        for place, value in enumerate(axes["values"])
        if low <= place + reach and high >= place - reach
    )
