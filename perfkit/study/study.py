"""A study file that was read: what it says, measures and has as evidence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from perfkit.analysis.verdicts.criteria import Criterion, limit_of
from perfkit.analysis.verdicts.criteria_sets import UseOfSet
from perfkit.core.errors import AbsentError, StudyError, UsageError, did_you_mean
from perfkit.core.evidence import Evidence, Origin, sha256_file
from perfkit.core.lineage import Measured, Reading, stated
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import Column, Figure, Listing, Statement, Table, check_id
from perfkit.formats.yaml_file import lines_of, older
from perfkit.measure.spec import SweepSpec
from perfkit.measure.workloads import sweep_spec
from perfkit.sources import RUN, SOURCES
from perfkit.study.front_matter import Front, front_of
from perfkit.study.migrations import FORMAT

if TYPE_CHECKING:
    from perfkit.analysis.sas.jobs import JobTable
    from perfkit.auditing.relations import Relation
    from perfkit.measure.turns import TargetSweep
    from perfkit.study.file import EvidenceFiles, Hardware, StudyModel
    from perfkit.study.sweeps import Planned


@dataclass(frozen=True)
class Study:
    """A study file that was read, and where it lies."""

    path: Path
    model: StudyModel
    target: Path | None = None
    spec: SweepSpec | None = None

    @property
    def dir(self) -> Path:
        """The folder of the study file: every path in it is relative to this one."""
        return self.path.parent

    @property
    def parts(self) -> list[Study]:
        """The parts of the study, each as a study of its own; may be none."""
        return [replace(self, model=self.model.part(part.name)) for part in self.model.parts]

    @property
    def folder(self) -> Path:
        """The folder of the evidence; the study's own unless it names another."""
        return self.dir / self.model.folder

    @property
    def runs(self) -> Path:
        """Where the study's run directories are kept."""
        return self.dir / self.model.runs

    def limit(self, metric: str, *, direction: str | None = None) -> float | None:
        """The one upper limit in SI that the criteria set for a metric, for a chart's line.

        None where there is none, or several.
        """
        return limit_of(self.criteria, metric, direction=direction)

    @property
    def criteria(self) -> list[Criterion]:
        """The criteria to judge by, those of sets in their place; may be empty.

        Each knows the subjects that the study means to fail.
        """
        if self.parts:
            return [item for part in self.parts for item in part.criteria]
        meant = tuple(self.model.meant_to_fail)
        return [
            item.model_copy(update={"meant_to_fail": (*item.meant_to_fail, *meant)})
            for part in self.model.criteria
            for item in criteria_of(self.path, part)
        ]

    @property
    def audit(self) -> list[Relation]:
        """The relations declared between printed numbers, each with its line; may be empty."""
        relations = self.model.audit
        if not relations:
            return []
        lines = lines_of(self.path, [["audit", number] for number in range(len(relations))])
        return [
            relation.at(f"{self.path.name}:{line}")
            for relation, line in zip(relations, lines, strict=True)
        ]

    @property
    def jobs(self) -> JobTable | Unanswered:
        """The job table of SAS logs; Unanswered where the study has printed evidence alone.

        Raises StudyError where it has other evidence and no job table.
        """
        if self.model.jobs is None:
            if not self.measures:
                return Unanswered("the study has no SAS logs")
            raise StudyError(self.path, "has no 'jobs:' to say which log is of which test")
        return self.model.jobs

    @property
    def time_zone(self) -> str | None:
        """The time zone that the job table declares; None: none."""
        return self.model.jobs.time_zone if self.model.jobs else None

    def need(self, name: Literal["criteria", "audit"]) -> Any:
        """The study's ``criteria`` or ``audit``; Unanswered where it has none."""
        words = {"criteria": "criteria", "audit": "relations between printed numbers"}
        return getattr(self, name) or Unanswered(f"the study declares no {words[name]}")

    @property
    def outdated(self) -> list[str]:
        """What to write into the file where it is from an older perfkit; empty for one of ours."""
        return older(self.path, FORMAT)

    def front(self) -> Front:
        """The front matter, for the notebook cell that makes the cover."""
        return front_of(self.path, self.model)

    def measure(
        self,
        run_id: str | None = None,
        *,
        target: str | Path | None = None,
        progress: Any = None,
        **overrides: Any,
    ) -> Path:
        """Measure what is missing of the study's sweep; returns the run directory.

        With ``run_id`` nothing is measured: that run, which must exist, is the answer.
        ``target`` and ``overrides`` (``workload``, ``load``, ``runtime``, ...; None: as in the
        study) replace what the study says.

        Raises StudyError when the study has no ``run``, and what ``run_sweep`` raises.
        """
        runs = self.runs
        if run_id is not None:
            from perfkit.sources import RUN

            if not RUN.is_folder(runs / run_id):
                known = sorted(path.name for path in runs.glob("*") if RUN.is_folder(path))
                raise StudyError(runs, f"there is no run {run_id!r}; {did_you_mean(run_id, known)}")
            return runs / run_id
        folder, spec = self.sweep(target, **overrides)
        from perfkit.measure import progress as shown
        from perfkit.measure.sweep import run_sweep

        return run_sweep(spec, folder, runs_dir=runs, progress=progress or shown.choose())

    def sweep(self, target: str | Path | None = None, **overrides: Any) -> tuple[Path, SweepSpec]:
        """The folder to measure and the sweep, with what is given in place of the study's.

        Raises StudyError when neither says what or where, UsageError for what does not fit.
        """
        given = {name: value for name, value in overrides.items() if value is not None}
        base = {k: v for k, v in (self.model.run or {}).items() if k != "target"}
        if "workload" in given and given["workload"] != base.get("workload"):
            # another workload: its own defaults hold, not what was set for the study's
            base = {name: base[name] for name in KEPT_BETWEEN_WORKLOADS if name in base}
        if target is not None:
            base.pop("targets", None)
        folder = Path(target) if target is not None else self.target
        named = {"workload", "job_file"} & {**base, **given}.keys()
        if folder is None or not named:
            raise StudyError(
                self.path,
                "has no 'run:' with workload and target: nothing to measure"
                + (
                    "; for a report on its evidence name a notebook, such as notebook: fio_results"
                    if self.model.evidence
                    else ""
                ),
            )
        return self.dir / folder, sweep_spec({**base, **given})

    def target_sweeps(self, targets: Sequence[Path] = (), **overrides: Any) -> list[TargetSweep]:
        """What the study measures: its sweeps, or that of its ``run``, on each of ``targets``.

        ``targets`` and ``overrides`` replace what the study says, as in ``sweep``.

        Raises UsageError where a study with sweeps is given targets, and what ``sweep`` raises.
        """
        from perfkit.measure.turns import TargetSweep
        from perfkit.study.sweeps import plan

        if not self.model.sweeps:
            asked: Sequence[Path | None] = targets or [None]
            found = [self.sweep(target, **overrides) for target in asked]
            return [TargetSweep(spec, folder) for folder, spec in found]
        if targets:
            raise UsageError(f"{self.path}: its sweeps name what they measure: leave out --target")
        changed = {"run": {**(self.model.run or {}), **overrides}}
        return [item.sweep for item in plan(self.path, self.model.model_copy(update=changed))]

    def read_run(self, run: Path) -> Reading:
        """The tables of a run, with paths in the record relative to the study."""
        return RUN.read(run, root=self.dir)

    def read_evidence(
        self,
        kind: str | None = None,
        *,
        tables: Sequence[str] | None = None,
        in_series: bool = False,
        optional: bool = False,
    ) -> Reading:
        """The tables of all files under ``evidence``, labelled and joined by table name.

        The study's ``sweeps`` belong to them: what is missing of them is measured first. With
        ``kind``, only the entries that say this kind in the study file; with ``tables``, only
        these (hundreds of AWR reports are read faster for three of their tables). ``in_series``: of
        a kind that has a notebook of series, the tables which that needs. ``optional``: a
        kind that no entry says gives a reading without tables, whose ``table`` is Unanswered.

        Raises StudyError where a glob matches nothing, a pattern does not match a file's name, or
        no entry says the kind; and ParseError from the files.
        """
        from perfkit.study.evidence import Wanted, read_labelled

        entries = [*self.model.evidence, *self._runs_of_sweeps()]
        if kind is not None:
            entries = [entry for entry in entries if entry.kind == kind]
            if not entries and optional:
                return Reading({}, Evidence("study", self.path.name, sha256_file(self.path)))
            if not entries:
                raise StudyError(self.path, f"evidence: no entry has kind: {kind}")
        wanted = Wanted(None if tables is None else tuple(tables), in_series)
        return read_labelled(self.path, entries, wanted, self.folder)

    def recorded(
        self, reading: Reading, *, whole: bool = False
    ) -> dict[str, Measured] | Unanswered:
        """The tables over time in the evidence, by name, each as ``recorded_lines``.

        ``whole``: every line, not only as many as a chart can show. Unanswered where nothing has a
        quantity over time.
        """
        from perfkit.analysis.over_time.recorded import MOST_LINES, recorded_lines

        series = {name: how for source in SOURCES.values() for name, how in source.series.items()}
        found = {}
        for name in reading:
            if name in series:
                how = series[name]
                with contextlib.suppress(AbsentError):
                    most = None if whole else MOST_LINES
                    found[name] = recorded_lines(
                        reading[name], time=how.time, lines=how.lines, most=most
                    )
        return found or Unanswered("the evidence has no quantity over time")

    def logs_alone(self, reading: Reading) -> dict[str, Measured]:
        """The logs of fio that belong to no result, as ``recorded`` has them; often there are none.

        Those of a result are summed over its jobs instead (``sum_over_jobs``).
        """
        from perfkit.analysis.over_time.recorded import recorded_lines

        logs = reading.get("fio_logs")
        alone = None if logs is None else logs.filter(result=None)
        if alone is not None:
            how = SOURCES["fio-log"].series["fio_logs"]
            with contextlib.suppress(AbsentError):
                return {"fio_logs": recorded_lines(alone, time=how.time, lines=how.lines)}
        return {}

    def levels(self, reading: Reading) -> Measured | Unanswered:
        """At what IOPS, or throughput, each thing recorded over time ran: ``recorded_levels``.

        Unanswered where load points say more, and where neither was recorded.
        """
        from perfkit.analysis.over_time.recorded import recorded_levels

        found = self.recorded(reading, whole=True)
        if "load_points" not in reading and not isinstance(found, Unanswered):
            with contextlib.suppress(AbsentError):
                return recorded_levels(list(found.values()))
        return Unanswered("the evidence has no load points")

    def cpus(self, reading: Reading) -> Measured | Unanswered:
        """How busy the CPUs of each recorded host were: ``cpu_busiest``.

        Unanswered where load points say more, and where no CPUs were recorded.
        """
        from perfkit.analysis.over_time.cpu_recorded import cpu_busiest

        if "load_points" not in reading and "host_series" in reading:
            with contextlib.suppress(AbsentError):
                return cpu_busiest(reading["host_series"], reading.get("cpu"))
        return Unanswered("the evidence has no recording of a host's CPUs")

    def has(self, kind: str) -> bool:
        """Whether an entry of ``evidence`` says this kind."""
        return any(entry.kind == kind for entry in self.model.evidence)

    @property
    def measures(self) -> bool:
        """Whether any evidence is more than tables copied from documents."""
        copied = {name for name, source in SOURCES.items() if source.is_copied}
        return bool(self.model.sweeps) or any(
            entry.kind not in copied for entry in self.model.evidence
        )

    @cached_property
    def planned(self) -> list[Planned]:
        """The sweeps that are measured on this host; may be empty."""
        from perfkit.study.sweeps import plan

        return plan(self.path, self.model)

    def measure_sweeps(self, *, progress: Any = None) -> list[Path]:
        """Measure what is missing of each of the study's sweeps; returns their run directories.

        They take turns, a repeat of each at a time, unless ``sweep_order`` is sequential
        (``measure.turns``).

        Raises what ``run_sweep`` raises. Accepted points stay, and the same call resumes.
        """
        from perfkit.measure import progress as shown
        from perfkit.measure.turns import run_sweeps

        return run_sweeps(
            [item.sweep for item in self.planned],
            runs_dir=self.runs,
            order=self.model.sweep_order,
            progress=progress or shown.choose(),
        )

    def _runs_of_sweeps(self) -> list[EvidenceFiles]:
        """The runs of the sweeps as evidence, measured where they are not there."""
        from perfkit.study.file import EvidenceFiles

        runs = self.measure_sweeps()
        return [
            EvidenceFiles(
                files=(self.model.runs / run.name).as_posix(),
                kind=RUN.name,
                labels=dict(item.labels),
            )
            for item, run in zip(self.planned, runs, strict=True)
        ]

    def say_sweeps(self) -> list[Statement]:
        """Which sweeps were measured, in whose stead and order; nothing for a study without."""
        from perfkit.study.sweeps import say_order, say_sweeps

        if not self.planned:
            return []
        runs = [item.sweep.run_directory(self.runs) for item in self.planned]
        order = say_order(self.path, self.planned, runs, self.model.sweep_order)
        return [say_sweeps(self.path, self.planned), order]

    def files(self, entry: EvidenceFiles) -> list[Path]:
        """The files of one entry of ``evidence``; StudyError when it matches none."""
        from perfkit.study.evidence import files_of

        return files_of(self.path, entry, self.folder)

    def test_bed(self) -> list[Figure]:
        """The drawing of the test bed: what the authors assert; empty where they state none."""
        from perfkit.study.test_bed import drawing_of

        return [drawing_of(self.path, self.model.test_bed)] if self.model.test_bed else []

    def commands(self, evidence: Reading) -> list[Listing]:
        """One command and one job file of each sweep in the evidence, for the report's appendix.

        Empty where the evidence keeps none.
        """
        from perfkit.showing.chapters import list_commands

        return list_commands(evidence)

    def tables_systems(self) -> list[Table]:
        """The tables of the systems' parts: what the authors assert, not what was measured."""
        return [hardware_table(self, part) for part in self.model.systems]

    def stated(self, value_id: str) -> Figure | Table | Statement | None:
        """What the study states, by its id: the test bed, a table of parts, a sentence on sweeps.

        None: there is none. Raises what ``say_sweeps`` raises.
        """
        says: tuple[Callable[[], Sequence[Figure | Table | Statement]], ...]
        says = (self.test_bed, self.tables_systems, self.say_sweeps)
        for say in says:
            for value in say():
                if value.id == value_id:
                    return value
        return None


KEPT_BETWEEN_WORKLOADS = (
    "file_size",
    "ramp",
    "ramp_s",
    "runtime",
    "runtime_s",
    "repeats",
    "direct",
)


def hardware_table(study: Study, part: Hardware) -> Table:
    """One table of a system's parts; its evidence is the study file."""
    origin = Origin("printed", part.printed) if part.printed else Origin("asserted", "the study")
    evidence = Evidence("study", study.path.name, sha256_file(study.path), origin=origin)
    table = Table(
        check_id(part.id),
        tuple(Column(f"c{number}", label) for number, label in enumerate(part.columns)),
        tuple(tuple(row) for row in part.rows),
        part.caption,
    )
    return stated("stated.hardware", 1, table, evidence, {"value_id": part.id})


def criteria_of(path: Path, part: Criterion | UseOfSet) -> list[Criterion]:
    """The criteria of an entry of the file: its own, or those of the set it names."""
    return part.criteria(path.parent) if isinstance(part, UseOfSet) else [part]
