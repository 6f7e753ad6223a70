"""Where numbers come from: the evidence read, and the chain of steps from it to what is shown.

Nothing here holds a host name, an absolute path or a wall-clock time: the same evidence gives the
same record on every machine and every day.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from perfkit.core.places import archive_of, user_path

if TYPE_CHECKING:
    from perfkit.core.cautions import Caution

SectionStatus = Literal["found", "absent", "empty", "unparsed"]
OriginKind = Literal["measured", "printed", "generated", "asserted"]


@dataclass(frozen=True)
class Section:
    """One part a source may have, and what became of it; ``rows`` counts only where found."""

    name: str
    status: SectionStatus
    rows: int | None = None
    reason: str | None = None

    def record(self) -> dict[str, object]:
        """The JSON form."""
        return dict(vars(self))


@dataclass(frozen=True)
class Origin:
    """How evidence came to be, where no system was measured for it.

    Attributes:
        kind: "measured"; "printed": figures copied from a document as it prints them;
            "generated": written by a generator, true of no system; "asserted": what the authors
            of a study say of it.
        of: The document with the place in it ("TR-4784, Table 4"), or the generator with its
            seed; empty for what was measured.
    """

    kind: OriginKind = "measured"
    of: str = ""

    def record(self) -> dict[str, str]:
        """The JSON form."""
        return dict(vars(self))


MEASURED = Origin()

_NAMED_AT_MOST = 2
_MARKS: dict[OriginKind, str] = {
    "generated": "generated data",
    "printed": "computed from figures printed in {of}",
    "asserted": "as stated by the authors",
}
_KEPT_MARKS = _MARKS | {"printed": "as printed in {of}"}

KEEPING = frozenset({
    "data.filter", "data.join", "data.label", "figure.printed", "table.printed", "say.printed",
    "say.not_shown", "say.source", "stated.hardware", "stated.sweeps", "stated.test_bed",
})  # fmt: skip
"""Steps that choose cells and show them as they were read; so does every step of reading."""


def origin_mark(origins: tuple[Origin, ...], *, computed: bool) -> str:
    """The words behind a caption that keep other data from looking measured; may be empty.

    What rests on measured and other evidence alike is marked "in part". "As printed" is said of
    cells that are shown as they were read; what was ``computed`` from them says that.
    """
    words = []
    for kind, text in (_MARKS if computed else _KEPT_MARKS).items():
        places = [origin.of for origin in origins if origin.kind == kind]
        if places:
            words.append(text.format(of=_named(places)))
    if not words:
        return ""
    part = "in part " if any(origin.kind == "measured" for origin in origins) else ""
    return f" ({part}{', '.join(words)})"


def marked(caption: str, mark: str) -> str:
    """A caption with the mark of its origin at the end of its first sentence."""
    first, stop, rest = caption.partition(". ")
    return f"{first.removesuffix('.')}{mark}.{stop[1:]}{rest}" if mark else caption


def _named(places: list[str]) -> str:
    """The places by name; of many, the documents; of many documents, that there are several.

    A place begins with its document and a comma: "TR-4784, Table 4".
    """
    documents = list(dict.fromkeys(place.partition(", ")[0] for place in places))
    for names in (places, documents):
        if len(names) <= _NAMED_AT_MOST:
            return "; ".join(names)
    return "several documents, see appendix"


@dataclass(frozen=True)
class Evidence:
    """What was read: the file by its hash, the tool that wrote it, and what was found in it.

    ``path`` is relative to the study (or the working directory), with forward slashes. A source
    made of many files (a run directory) has one Evidence with the files as ``parts``.
    ``unverified`` says that the dialect was written from documents and has met no real file.
    ``origin`` says whether it was measured at all: it follows every value into its caption.
    """

    kind: str
    path: str
    sha256: str
    tool: str | None = None
    tool_version: str | None = None
    sections: tuple[Section, ...] = ()
    warnings: tuple[str, ...] = ()
    unverified: bool = False
    parts: tuple[Evidence, ...] = ()
    origin: Origin = MEASURED

    @property
    def tool_text(self) -> str:
        """The tool with its version, whose name often begins the version; may be empty."""
        name, version = self.tool or "", self.tool_version or ""
        return version if version.startswith(name) else f"{name} {version}".strip()

    def __hash__(self) -> int:
        # equal ones have equal hashes; over hundreds of parts each time it would take long
        return hash((self.kind, self.path, self.sha256))

    def record(self) -> dict[str, object]:
        """The JSON form."""
        return {
            **vars(self),
            "sections": [section.record() for section in self.sections],
            "warnings": list(self.warnings),
            "parts": [part.record() for part in self.parts],
            "origin": self.origin.record(),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Evidence:
        """The inverse of ``record``."""
        return cls(
            kind=record["kind"],
            path=record["path"],
            sha256=record["sha256"],
            tool=record["tool"],
            tool_version=record["tool_version"],
            sections=tuple(Section(**section) for section in record["sections"]),
            warnings=tuple(record["warnings"]),
            unverified=record["unverified"],
            parts=tuple(cls.from_record(part) for part in record["parts"]),
            origin=Origin(**record["origin"]),
        )

    def origins(self) -> tuple[Origin, ...]:
        """Its origin, or those of its parts, each once."""
        if not self.parts:
            return (self.origin,)
        return _unique(origin for part in self.parts for origin in part.origins())

    def of_origin(self, origin: Origin) -> Evidence:
        """The same evidence, and all its parts, as of another origin."""
        parts = tuple(part.of_origin(origin) for part in self.parts)
        return replace(self, origin=origin, parts=parts)


@dataclass(frozen=True)
class Step:
    """One registered function that was applied: what it was given and what it gave, by hash."""

    function: str
    version: int
    arguments: str
    inputs: tuple[str, ...]
    output: str

    def record(self) -> dict[str, object]:
        """The JSON form; ``arguments`` stays canonical JSON text."""
        return {**vars(self), "inputs": list(self.inputs)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Step:
        """The inverse of ``record``."""
        return cls(**{**record, "inputs": tuple(record["inputs"])})


@dataclass(frozen=True)
class Lineage:
    """The evidence behind a value and the steps from it; without evidence it is not traceable.

    ``cautions`` are those of the data that went in: they follow a frame that has no such column,
    and stand in the records of values, not in the one of the lineage.
    ``set_aside`` is what the first steps read too, and of which a filter left no row.
    """

    evidence: tuple[Evidence, ...] = ()
    steps: tuple[Step, ...] = ()
    traceable: bool = False
    notes: tuple[str, ...] = field(default=())
    cautions: tuple[Caution, ...] = ()
    set_aside: tuple[Evidence, ...] = ()

    @classmethod
    def join(cls, lineages: list[Lineage]) -> Lineage:
        """The lineage of what was made from several values: each evidence and step once, in order.

        One untraceable input makes the whole untraceable.
        """
        evidence = _unique(item for lineage in lineages for item in lineage.evidence)
        aside = _unique(item for lineage in lineages for item in lineage.set_aside)
        return cls(
            evidence=evidence,
            steps=_unique(item for lineage in lineages for item in lineage.steps),
            traceable=bool(lineages) and all(lineage.traceable for lineage in lineages),
            notes=_unique(item for lineage in lineages for item in lineage.notes),
            cautions=_unique(item for lineage in lineages for item in lineage.cautions),
            set_aside=tuple(item for item in aside if item not in evidence),
        )

    def of(self, what: str, digest: str) -> Lineage:
        """This lineage, or none where its last step gave something else than what has this hash.

        ``what`` is the word for it: "frame", "table". A lineage without steps is what its maker
        states.
        """
        if not self.steps or self.steps[-1].output == digest:
            return self
        changed = f"the {what} is not what its last step gave: not traceable"
        return Lineage(traceable=False, notes=(changed,))

    def without(self, paths: set[str]) -> Lineage:
        """This lineage with the evidence of these paths set aside."""
        gone = tuple(item for item in self.evidence if item.path in paths)
        kept = tuple(item for item in self.evidence if item.path not in paths)
        return replace(self, evidence=kept, set_aside=_unique((*self.set_aside, *gone)))

    def origins(self) -> tuple[Origin, ...]:
        """The origins of all evidence, each once, in order."""
        return _unique(origin for item in self.evidence for origin in item.origins())

    def mark(self) -> str:
        """What stands behind a caption: " (generated data)"; empty for what was measured."""
        if not self.traceable:
            return " (not traceable)"
        return origin_mark(self.origins(), computed=self.computed)

    @property
    def computed(self) -> bool:
        """Whether any step did more than read cells, choose among them and show them."""
        return any(
            not step.function.startswith("read.") and step.function not in KEEPING
            for step in self.steps
        )

    def then(self, step: Step) -> Lineage:
        """This lineage with one more step at its end, where it stands even if it was done before.

        The last step is the one that made the value.
        """
        steps = self.steps if self.steps[-1:] == (step,) else (*self.steps, step)
        return replace(self, steps=steps)

    def record(self) -> dict[str, object]:
        """The JSON form that travels with every figure, table and statement."""
        aside = [item.record() for item in self.set_aside]
        return {
            "traceable": self.traceable,
            "evidence": [item.record() for item in self.evidence],
            "steps": [step.record() for step in self.steps],
            "notes": list(self.notes),
            **({"set_aside": aside} if aside else {}),
        }


def unverified(items: Any) -> bool:
    """Whether one of the evidence, or of its parts, is of a form that has met no real file."""
    return any(item.unverified or unverified(item.parts) for item in items)


def _unique(items: Any) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(items))


def sha256_bytes(data: bytes) -> str:
    """The SHA-256 of bytes, as hexadecimal text."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's bytes, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def common_label(paths: Iterable[Path | str], root: Path | None = None) -> str:
    """How the folder that files share is written in a record: of members, one in their archive."""
    folders = [user_path(Path(path).resolve()).parent for path in paths]
    return label(Path(os.path.commonpath(folders)), root)


def label(path: Path, root: Path | None = None) -> str:
    """How a path is written in a record: relative to ``root`` (default: the working directory).

    A path on another branch of the tree keeps its ``..`` steps where it shares a folder with the
    root other than ``/``, and otherwise is its name alone: a record shows no absolute path. A
    member of an archive always stands below the archive's name.
    """
    base = (root or Path.cwd()).resolve()
    real = path.resolve()
    full = user_path(real)
    common = os.path.commonpath([base, full])
    if common == os.sep:
        return full.relative_to((archive_of(real) or full).parent).as_posix()
    return Path(os.path.relpath(full, base)).as_posix()
