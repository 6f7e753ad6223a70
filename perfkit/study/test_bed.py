"""The test bed as a study states it: parts in rows and links between them, and their drawing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from perfkit.core import typeface
from perfkit.core.errors import did_you_mean
from perfkit.core.evidence import Evidence, Origin, sha256_file
from perfkit.core.lineage import stated
from perfkit.core.plain_text import plain
from perfkit.core.values import Figure
from perfkit.showing.figures.test_bed import draw_test_bed
from perfkit.showing.topology.layout import lay_out
from perfkit.showing.topology.parts import ROWS, Bed, BedError, Link, Part, Place

TEST_BED = "test-bed"
"""The id of the drawing."""

MOST_LINKS = 100


def _in_the_typeface(value: Any) -> Any:
    """A text on one line; ValueError for letters that the report's typeface does not have."""
    if not isinstance(value, str):
        return value
    text = " ".join(value.split())
    lacking = typeface.lacking(text)
    if not text:
        raise ValueError("is empty")
    if lacking:
        raise ValueError(
            f"the typeface of reports has no {' '.join(map(plain, lacking))}: write it in Latin, "
            "Greek or Cyrillic letters"
        )
    return text


Label = Annotated[str, BeforeValidator(_in_the_typeface)]
Ends = Annotated[
    list[Label],
    BeforeValidator(lambda given: [given] if isinstance(given, str) else given),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]
"""The parts at one end of links: a name, or several."""


class _Stated(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BedPart(_Stated):
    """A part of the test bed, or several that are alike."""

    name: Label = Field(
        description="as it is printed, and as links name it; of several, {n} stands for the number"
    )
    text: Label | None = Field(None, description="what it is, such as '2 x 32G FC · RHEL 8.2'")
    count: int = Field(1, ge=1, le=9999, description="how many there are like this")
    group: Label | None = Field(
        None, description="what it and its neighbours are together, such as 'HA pair'"
    )


class BedLink(_Stated):
    """A link: of each of one part with each of another."""

    from_: Ends = Field(alias="from", min_length=1, description="name of a part, or several")
    to: Ends = Field(min_length=1, description="name of a part, or several")
    paths: int | None = Field(None, ge=1, le=9999, description="paths between one and one")
    speed: Label | None = Field(None, description="such as '32G FC'")


class TestBed(_Stated):
    """The test bed, as asserted by the authors (not measured): rows of parts, from the top."""

    __test__ = False  # pytest takes it for tests

    caption: str = "The test bed."
    drawn_from: Label | None = Field(
        None, description="the document and place that state it, such as 'TR-4784, section 3.2'"
    )
    networks: list[BedPart] = Field(default_factory=list, description="switches above the hosts")
    hosts: list[BedPart] = Field(default_factory=list)
    switches: list[BedPart] = Field(default_factory=list, description="one for each fabric")
    controllers: list[BedPart] = Field(default_factory=list)
    shelves: list[BedPart] = Field(default_factory=list, description="or drives")
    volumes: list[BedPart] = Field(default_factory=list, description="volumes, LUNs, namespaces")
    links: list[BedLink] = Field(default_factory=list, max_length=MOST_LINKS)

    @property
    def bed(self) -> Bed:
        """The parts and links; a link that names several is one for each pair of them."""
        parts = tuple(part for _, part in self._parts())
        order = [part.name for part in parts]
        links = [
            Link(min(ends, key=order.index), max(ends, key=order.index), link.paths, link.speed)
            for link in self.links
            for ends in product(link.from_, link.to)
        ]
        return Bed(parts, tuple(links))

    @model_validator(mode="after")
    def _drawable(self) -> Self:
        """Every mistake in names and links at once; then whether it can be drawn."""
        mistakes = [*self._names_twice(), *self._links_to_nowhere()]
        if not mistakes:
            try:
                lay_out(self.bed)
            except BedError as problem:
                mistakes = [(problem.place, problem.problem)]
        if mistakes:
            raise ValidationError.from_exception_data(
                "test_bed", [_detail(place, problem) for place, problem in mistakes]
            )
        return self

    def _names_twice(self) -> Iterator[tuple[Place, str]]:
        known: set[str] = set()
        if not any(getattr(self, row) for row in ROWS):
            yield (), f"has no parts; known rows: {', '.join(ROWS)}"
        for place, part in self._parts():
            names = {*part.names, part.name}
            if known & names:
                yield (*place, "name"), f"{min(known & names)!r} is the name of another part"
            known |= names

    def _parts(self) -> Iterator[tuple[Place, Part]]:
        for row in ROWS:
            for number, part in enumerate(getattr(self, row)):
                yield (row, number), Part(part.name, row, part.text, part.count, part.group)

    def _links_to_nowhere(self) -> Iterator[tuple[Place, str]]:
        known = [part.name for _, part in self._parts()]
        for number, link in enumerate(self.links):
            for end, names in (("from", link.from_), ("to", link.to)):
                for place, name in enumerate(names):
                    if name not in known:
                        told = f"no part {name!r}; {did_you_mean(name, known)}"
                        yield ("links", number, end, place), told
            looped = set(link.from_) & set(link.to)
            if looped:
                yield ("links", number), f"links {min(looped)!r} with itself"


def _detail(place: Place, problem: str) -> InitErrorDetails:
    told = problem.replace("{", "{{").replace("}", "}}")
    return InitErrorDetails(type=PydanticCustomError("test_bed", told), loc=place, input=None)


def drawing_of(path: Path, model: TestBed) -> Figure:
    """The drawing of the test bed of a study; its evidence is the study file."""
    asserted = Origin("asserted", "the study")
    evidence = Evidence("study", path.name, sha256_file(path), origin=asserted)
    place = f" Drawn from {model.drawn_from}." if model.drawn_from else ""
    figure = draw_test_bed(model.bed, value_id=TEST_BED, caption=f"{model.caption}{place}")
    return stated("stated.test_bed", 1, figure, evidence, {"value_id": TEST_BED})
