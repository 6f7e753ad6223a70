"""The panel: a choice made by selectors, and its answer shown anew whenever one of them is set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perfkit.analysis.curves.metrics import workload_name
from perfkit.core.errors import AnalysisError, UsageError
from perfkit.core.lineage import Measured
from perfkit.core.values import Figure
from perfkit.exploring import choices, take_along
from perfkit.exploring.answer import Answer, Choice, answer, values_within
from perfkit.exploring.choices import Source
from perfkit.exploring.controls import (
    EACH_VALUE,
    EACH_WORKLOAD,
    PICTURES,
    REPORT,
    Brush,
    Controls,
    values_read,
    warning,
)
from perfkit.exploring.parameters import Asked, live, read_asked
from perfkit.exploring.take_along import Parameters


class Panel:
    """A comparison to explore: it shows itself in JupyterLab, and shows nothing without a user.

    Its widgets are made when they are first asked for, so that a report never needs them.

    Attributes:
        answer: What is shown at the moment.
    """

    def __init__(
        self, tables: choices.Tables, asked: Asked, *, study: Path | None, interactive: bool | None
    ) -> None:
        self._tables, self._asked, self._study = tables, asked, study
        self._interactive = interactive
        self._folder = Path.cwd()  # of the notebook, though a cell may leave it
        self._controls: Controls | None = None
        self._quiet = True
        self.answer = Answer()

    @property
    def widgets(self) -> dict[str, Any]:
        """The selectors by name; setting ``widgets["baseline"].value`` is choosing."""
        return self._made().selectors

    @property
    def allow(self) -> dict[str, Any]:
        """The boxes of the conditions that differ, by the field's name."""
        return self._made().allow

    @property
    def outputs(self) -> dict[str, Any]:
        """The places where values are shown, by part: curves, differences, sentences, tables."""
        return self._made().outputs

    @property
    def comparison(self) -> Measured | None:
        """The comparison that is shown, for further analysis; None while the choice is refused."""
        self._made()
        return self.answer.comparison

    @property
    def problem(self) -> str | None:
        """Why nothing is shown; None where something is."""
        self._made()
        return self.answer.problem

    @property
    def parameters(self) -> Parameters:
        """The choice as parameters of the notebook ``compare``; none while it is refused."""
        self._made()
        if self.answer.problem is not None:
            return {}
        given = take_along.parameters(
            self.choice, self.answer.values, self._offers(), self._asked.event
        )
        if len(choices.workloads(self._tables[0])) == 1:
            del given["workload"]  # the only one needs no name
        return given

    @property
    def choice(self) -> Choice:
        """What the selectors say. Raises UsageError for a value that is not a number above 0."""
        controls = self._made()
        chosen = {name: widget.value for name, widget in controls.selectors.items()}
        limit = values_read("limit", chosen.pop("limit"), 1e-6)
        if len(limit) > 1:
            raise UsageError("limit: one latency, not several")
        for name, each in (("workload", EACH_WORKLOAD), ("mark", EACH_VALUE)):
            chosen[name] = None if chosen[name] == each else chosen[name]
        others, at = tuple(chosen.pop("systems")), chosen.pop("at")
        scale = choices.ALIGN[chosen["align"]].scale
        return Choice(
            others=others,
            at=values_read("values", at, scale),
            limit_s=limit[0] if limit else None,
            allow=controls.allowed(),
            **chosen,
        )

    def _ipython_display_(self) -> None:
        if live(self._interactive):
            from IPython.display import display

            display(self._made().box)

    def __repr__(self) -> str:
        return "Panel of selectors, for JupyterLab"

    def _made(self) -> Controls:
        if self._controls is None:
            points = self._tables[0]
            names = [(workload_name(name), name) for name in choices.workloads(points)]
            self._controls = Controls(workloads=names, directions=choices.directions(points))
            self._start(self._controls)
            self._controls.observe(self._changed)
            self._controls.observe_brush(self._brushed)
            self._controls.observe_actions(self._act)
            self._controls.offer_allowing((), self._asked.allow)
            self._refresh(self._asked.allow)
        return self._controls

    def _start(self, controls: Controls) -> None:
        """Set the selectors to what was asked; where nothing was, to the first there is."""
        asked, first = self._asked, choices.workloads(self._tables[0])[:1]
        controls.choose("workload", asked.workload or (first[0] if first else None))
        controls.choose("direction", asked.direction)
        found = self._offers()
        controls.offer(found)
        controls.choose("metric", asked.metric)
        controls.choose("align", next((n for n in found.align if self._given(n)), found.align[0]))
        align = controls.selectors["align"].value
        controls.values(align, self._given(align))
        controls.systems(*self._systems(list(found.systems)))
        if asked.limit_s is not None:
            controls.selectors["limit"].value = f"{asked.limit_s * 1e6:.12g}"

    def _given(self, align: str) -> Sequence[float]:
        return self._asked.values.get(choices.ALIGN[align].values or "", [])

    def _systems(self, names: list[str]) -> tuple[list[str], str, list[str]]:
        """All names, the baseline, and those that are compared with it, as asked."""
        frame, found = self._tables[0].frame, self._offers().systems

        def named(wanted: Sequence[str]) -> list[str]:
            keys = choices.named_curves(frame, wanted)
            return [name for name in names if found[name] in keys]

        wanted = named(self._asked.systems) or names
        first = (named([self._asked.baseline]) if self._asked.baseline else []) or wanted
        return names, first[0], [name for name in wanted if name != first[0]]

    def _offers(self) -> choices.Offers:
        own = self._made().selectors
        workload = None if own["workload"].value == EACH_WORKLOAD else own["workload"].value
        return choices.offers(self._tables[0], workload=workload, direction=own["direction"].value)

    def _changed(self, change: Mapping[str, Any]) -> None:
        """Update the selectors that depend on the one that was set, then show the answer again."""
        if self._quiet:
            return
        self._quiet = True
        self._depend(change["owner"], change["old"])
        self._refresh()

    def _depend(self, owner: Any, old: Any) -> None:
        controls = self._made()
        own = controls.selectors
        names = list(self._offers().systems)
        others = own["systems"].value
        if owner in (own["workload"], own["direction"]):
            controls.offer(self._offers())
            kept = [name for name in (own["baseline"].value, *others) if name in names]
            kept = kept if len(kept) > 1 else names
            controls.systems(names, kept[0], kept[1:])
        elif owner is own["baseline"]:
            # the baseline before is one of the others now
            now = [name for name in names if name in {old, *others} - {owner.value}]
            controls.systems(names, owner.value, now)
        elif owner is own["align"]:
            controls.values(owner.value, self._given(owner.value))

    def _brushed(self, brush: Brush) -> None:
        """A range was brushed in a chart of curves: they are compared at round values in it.

        In a chart of changes, at those of its values. Taken back, at the values that the study asks
        for, or round ones.
        """
        controls = self._made()
        choice = replace(self.choice, at=())
        found: Sequence[float] = brush.values or self._given(choice.align)
        if brush.values == ():
            controls.problem.value = warning("No value lies in the range brushed.")
            return
        if brush.ranges:
            try:
                found = values_within(self._tables, choice, brush.ranges)
            except AnalysisError:
                return  # the panel says already why nothing is compared
            if not found:
                problem = f"The curves have no {choice.align} in common in the range brushed."
                controls.problem.value = warning(problem)
                return
        controls.values(choice.align, found)  # which shows the answer to it

    def _act(self, name: str) -> None:
        """Do a button's work in the background, and print its progress below the buttons."""
        given, answer = self.parameters, self.answer
        work = {
            PICTURES: lambda say: self._pictures(answer, say),
            REPORT: lambda say: self._report(given, say),
        }
        self._made().work(name, work[name])

    def _pictures(self, answer: Answer, say: Callable[[str], None]) -> list[Path]:
        shown = [value for values in (answer.shown or {}).values() for value in values]
        figures = [value for value in shown if isinstance(value, Figure)]
        if not figures:
            raise UsageError("no chart is shown, so there is no picture to save")
        say(f"drawing {len(figures)} charts as SVG and PNG")
        return take_along.save_pictures(figures, self._folder / "pictures")

    def _report(self, given: Parameters, say: Callable[[str], None]) -> list[Path]:
        if self._study is None:
            raise UsageError("pk.explore was given no study= to write the choice into")
        if not given:
            raise UsageError("this choice is refused, so there is no report of it")
        return take_along.make_report(self._study, given, self._folder / "reports", say)

    def _refresh(self, allowed: Sequence[str] = ()) -> None:
        """Show the answer to the choice; if that fails, nothing of an earlier choice stays."""
        controls = self._made()
        self._quiet, self.answer = True, Answer(problem="This choice could not be shown.")
        try:
            self.answer = self._answered(controls, allowed)
        finally:
            controls.show(self.answer, self._exported())
            self._quiet = False

    def _answered(self, controls: Controls, allowed: Sequence[str]) -> Answer:
        try:
            choice = self.choice
        except UsageError as problem:
            return Answer(problem=f"{problem}.")
        found = answer(self._tables, replace(choice, allow=(*choice.allow, *allowed)))
        controls.offer_allowing(found.differ, allowed)
        controls.marks(choice.align, found.values)
        if self.choice.mark != choice.mark:
            found = answer(self._tables, self.choice)  # the value that was marked is gone
        return found

    def _exported(self) -> dict[str, str]:
        """The choice as parameters, command and code, to be copied; empty if it is refused."""
        given = self.parameters
        if not given:
            return {}
        texts = {"Parameters of a study": take_along.as_yaml(given)}
        if self._study is not None:
            texts["Report of this choice"] = take_along.as_command(given, str(self._study))
        return {**texts, "In a notebook of your own": take_along.as_python(given)}


def explore(
    data: Source | Sequence[Source] | Mapping[str, Source],
    options: Measured | None = None,
    histogram: Measured | None = None,
    *,
    study: Any = None,
    asked: Asked | None = None,
    interactive: bool | None = None,
    **given: Any,
) -> Panel:
    """Selectors in JupyterLab over the load points of any readings: what a report says, live.

    Which systems, workload and I/O; at equal latency, IOPS, load, host CPU or at the peak; at which
    values, one of them marked; a latency limit. Curves, changes, tables and sentences are those of
    the report, redrawn whenever a selector is set. Curves under conditions that differ are refused
    by the field's name, and compared only when its own box is ticked. What is chosen stands below,
    as parameters of a study, as a command and as a call of this function.

    Where no user is at the notebook (papermill, nbconvert, ``perfkit report``, schedulers) the
    panel shows nothing.

    Args:
        data: Load points or a reading that has them; several of them; or readings by the name of
            their system, where they say none.
        options: ``job_options`` of the same sources: engine, direct I/O, active set.
        histogram: Their histograms: percentiles over several repeats.
        study: The study they are of (``open_study``): the command then names it.
        asked: What is chosen at first (``comparison_asked``); or the same by name:
        interactive: Whether the panel shows itself; None: where a user can answer.
        given: ``baseline``, ``systems``, ``workload``, ``latencies_us`` ... as parameters.

    Raises AnalysisError: no load points; UsageError: a parameter that is none, or no number.
    """
    points, more_options, more_histogram = choices.gathered(data)
    path = None if study is None else Path(study.path)
    return Panel(
        (points, options or more_options, histogram or more_histogram),
        asked or read_asked(given),
        study=path,
        interactive=interactive,
    )
